#include "host/services/log.hpp"

#include <memory>
#include <mutex>
#include <spdlog/logger.h>
#include <spdlog/sinks/ansicolor_sink.h>

#include "core/text/printable.hpp"
#include "host/chain/place.hpp"
#include "host/services/progress.hpp"

namespace zz::host {
namespace {

struct LogState {
  std::mutex mutex;
  std::shared_ptr<spdlog::logger> logger;
  LogLevel least = LogLevel::info;
  std::vector<Warning> warnings;
  std::size_t errors = 0;
};
LogState& log_state() {
  static LogState all;
  return all;
}

/// True when an equal warning was logged before.
bool repeated(const std::string& text) {
  for (Warning& warning : log_state().warnings) {
    if (warning.text != text) continue;
    ++warning.count;
    return true;
  }
  log_state().warnings.push_back({text, 1});
  return false;
}

std::int32_t enabled(std::int32_t level) noexcept {
  return level >= static_cast<int>(log_state().least) ? 1 : 0;
}

void write(zz_place* at, std::int32_t level, const char* text, std::size_t size) noexcept {
  if (text == nullptr) return;
  const int bounded = level < 0 ? 0 : level > 4 ? 4 : level;
  const std::string message(text, size);
  log(static_cast<LogLevel>(bounded), at != nullptr ? at->name + ": " + message : message);
}

}  // namespace

void start_log(LogLevel least, bool colour) {
  const auto mode = colour ? spdlog::color_mode::always : spdlog::color_mode::never;
  auto sink = std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>(mode);
  auto logger = std::make_shared<spdlog::logger>("zz-host", std::move(sink));
  logger->set_pattern("zz-host: %^%l%$: %v");
  logger->set_level(static_cast<spdlog::level::level_enum>(
      least == LogLevel::off ? SPDLOG_LEVEL_OFF : static_cast<int>(least)));
  const std::lock_guard lock(log_state().mutex);
  log_state().logger = std::move(logger);
  log_state().least = least;
}

LogLevel log_level() { return log_state().least; }

void log(LogLevel level, const std::string& text) {
  const std::lock_guard lock(log_state().mutex);
  if (level == LogLevel::error) ++log_state().errors;
  if (level == LogLevel::warning && repeated(text)) return;
  if (log_state().logger == nullptr || level < log_state().least) return;
  clear_progress_line();
  log_state().logger->log(static_cast<spdlog::level::level_enum>(level), core::printable(text));
}

std::size_t logged_errors() {
  const std::lock_guard lock(log_state().mutex);
  return log_state().errors;
}

std::vector<Warning> warnings() {
  const std::lock_guard lock(log_state().mutex);
  return log_state().warnings;
}

void log_repetitions() {
  const std::lock_guard lock(log_state().mutex);
  if (log_state().logger == nullptr || LogLevel::warning < log_state().least) return;
  for (const Warning& warning : log_state().warnings) {
    if (warning.count > 1)
      log_state().logger->warn("({} times) {}", warning.count, core::printable(warning.text));
  }
}

const zz_log log_table{sizeof(zz_log), enabled, write};

}  // namespace zz::host
