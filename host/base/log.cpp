#include "host/base/log.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <spdlog/logger.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/text.hpp"
#include "host/base/run.hpp"

namespace zz::host {
namespace {

constexpr std::string_view before_layer = "layer '";

/// The layer of a text, behind the stage that tells it and a place: "SumStage: layer 'conv': ...", or with
/// what is told of it alone, "map.yaml:3:5: layer 'conv' (K is 6): ...".
struct LayerPart {
  std::size_t begin = 0, end = 0;  ///< of "layer 'conv' (K is 6): "; equal without one
  std::string_view label;          ///< "'conv' (K is 6)"
  bool is_detailed = false;
};

LayerPart layer_part(std::string_view text) {
  constexpr std::string_view separator = ": ";
  std::size_t begin = 0;
  while (!text.substr(begin).starts_with(before_layer)) {
    begin = text.find(separator, begin);
    if (begin == text.npos) return {};
    begin += separator.size();
  }
  const std::size_t plain = text.find("': ", begin), detailed = text.find("' (", begin);
  const bool is_detailed = detailed < plain;
  const std::size_t end = is_detailed ? text.find("): ", detailed) : plain;
  if (end == text.npos) return {};
  const std::size_t label = begin + before_layer.size() - 1;
  return {begin, end + std::string_view("': ").size(), text.substr(label, end + 1 - label), is_detailed};
}

}  // namespace

void Log::show(LogLevel least, Writer writer) {
  const std::lock_guard lock(mutex_);
  writer_ = std::move(writer);
  least_ = least;
}

bool Log::repeated(const std::string& text) {
  // One line serves all layers of which the same is to be told.
  constexpr std::size_t most_named = 4;
  const LayerPart layer = layer_part(text);
  const std::string before = text.substr(0, layer.begin), after = text.substr(layer.end);
  const auto [place, is_new] = told_.try_emplace(before + after, Told{warnings_.size(), {}, false});
  if (is_new) warnings_.push_back({text, 0});
  Told& told = place->second;
  Warning& warning = warnings_[told.number];
  ++warning.count;
  const std::string label(layer.label);
  if (std::find(told.layers.begin(), told.layers.end(), label) != told.layers.end()) return !is_new;
  const bool is_named = told.layers.empty() || (layer.is_detailed && told.layers.size() < most_named);
  if (is_named) told.layers.push_back(label);
  told.others = told.others || !is_named;
  if (told.layers.front().empty() || (told.layers.size() == 1 && !told.others)) return !is_new;
  warning.text = fmt::format("{}layer{} {}{}: {}", before, told.layers.size() > 1 ? "s" : "",
                             fmt::join(told.layers, ", "), told.others ? " and others" : "", after);
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

void Log::note(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (std::find(notes_.begin(), notes_.end(), text) != notes_.end()) return;
  notes_.push_back(text);
  if (writer_ != nullptr && least_ <= LogLevel::debug) writer_(LogLevel::debug, text);
}

std::vector<std::string> Log::notes() const {
  const std::lock_guard lock(mutex_);
  return notes_;
}

std::size_t Log::errors() const {
  const std::lock_guard lock(mutex_);
  return errors_;
}

std::vector<Warning> Log::warnings() const {
  const std::lock_guard lock(mutex_);
  return warnings_;
}

std::string in_columns(const std::string& text, std::size_t before, std::size_t columns) {
  std::string lines;
  std::size_t at = 0, room = columns - before;
  const std::size_t end = std::min(text.find('\n'), text.size());  // what shows a file stays as it is
  while (end - at > room) {
    std::size_t blank = text.rfind(' ', at + room);
    if (blank == text.npos || blank <= at) blank = text.find(' ', at + room);
    if (blank == text.npos || blank >= end) break;
    lines += text.substr(at, blank - at) + "\n  ";
    at = blank + 1;
    room = columns - 2;
  }
  return lines + text.substr(at);
}

Log::Writer write_on_terminal(bool colour, bool is_watched) {
  const auto mode = colour ? spdlog::color_mode::always : spdlog::color_mode::never;
  auto sink = std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>(mode);
  auto logger = std::make_shared<spdlog::logger>("zz-host", std::move(sink));
  logger->set_pattern("zz-host: %^%l%$: %v");
  logger->set_level(spdlog::level::trace);
  constexpr std::size_t columns = 120;
  return [logger, is_watched](LogLevel level, const std::string& text) {
    current_run().progress.clear_line();
    const std::string shown = core::printable(text);
    constexpr std::size_t before = std::string_view("zz-host: warning: ").size();
    logger->log(static_cast<spdlog::level::level_enum>(level),
                is_watched ? in_columns(shown, before, columns) : shown);
  };
}

void log(LogLevel level, const std::string& text) { current_run().log.write(level, text); }
bool is_shown(LogLevel level) { return level >= current_run().log.level(); }

void write_line(const std::string& text) {
  current_run().progress.clear_line();
  fmt::print(stderr, "{}\n", core::printable(text));
}

}  // namespace zz::host
