#include "host/base/log.hpp"

#include <fmt/format.h>
#include <memory>
#include <spdlog/logger.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <string_view>
#include <utility>

#include "core/base/text.hpp"
#include "host/base/run.hpp"

namespace zz::host {
namespace {

constexpr std::string_view before_layer = "layer '", after_layer = "': ";

/// The layer that a text begins with, behind the stage that tells it: "SumStage: layer 'conv': ...".
struct LayerPart {
  std::size_t begin = 0, end = 0;  ///< equal without one
};

LayerPart layer_part(std::string_view text) {
  const std::size_t stage = text.find(": ");
  const std::size_t begin =
      text.starts_with(before_layer) || stage == text.npos ? 0 : stage + std::string_view(": ").size();
  if (!text.substr(begin).starts_with(before_layer)) return {};
  const std::size_t name_ends = text.find(after_layer, begin);
  return name_ends == text.npos ? LayerPart() : LayerPart{begin, name_ends + after_layer.size()};
}

}  // namespace

void Log::show(LogLevel least, Writer writer) {
  const std::lock_guard lock(mutex_);
  writer_ = std::move(writer);
  least_ = least;
}

bool Log::repeated(const std::string& text) {
  // One line serves all layers of which the same is to be told.
  const LayerPart layer = layer_part(text);
  const auto [place, is_new] =
      places_.try_emplace(text.substr(0, layer.begin) + text.substr(layer.end), warnings_.size());
  if (is_new) warnings_.push_back({text, 0});
  Warning& warning = warnings_[place->second];
  ++warning.count;
  if (const LayerPart first = layer_part(warning.text); first.end > 0 && warning.text != text)
    warning.text.replace(first.end - after_layer.size(), after_layer.size(), "' and others: ");
  return !is_new;
}

void Log::write(LogLevel level, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (level == LogLevel::error) ++errors_;
  if (level == LogLevel::warning && repeated(text)) return;
  if (writer_ == nullptr || level < least_) return;
  if (level == LogLevel::info && text == last_information_) return;
  if (level == LogLevel::info) last_information_ = text;
  writer_(level, text);
}

void Log::write_repetitions() {
  const std::lock_guard lock(mutex_);
  if (writer_ == nullptr || LogLevel::warning < least_) return;
  for (const Warning& warning : warnings_) {
    if (warning.count > 1)
      writer_(LogLevel::warning, fmt::format("({} times) {}", warning.count, warning.text));
  }
}

std::size_t Log::errors() const {
  const std::lock_guard lock(mutex_);
  return errors_;
}

std::vector<Warning> Log::warnings() const {
  const std::lock_guard lock(mutex_);
  return warnings_;
}

Log::Writer write_on_terminal(bool colour) {
  const auto mode = colour ? spdlog::color_mode::always : spdlog::color_mode::never;
  auto sink = std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>(mode);
  auto logger = std::make_shared<spdlog::logger>("zz-host", std::move(sink));
  logger->set_pattern("zz-host: %^%l%$: %v");
  logger->set_level(spdlog::level::trace);
  return [logger](LogLevel level, const std::string& text) {
    current_run().progress.clear_line();
    logger->log(static_cast<spdlog::level::level_enum>(level), core::printable(text));
  };
}

void log(LogLevel level, const std::string& text) { current_run().log.write(level, text); }

}  // namespace zz::host
