#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "host/base/exit_code.hpp"
#include "host/command_line/options.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/pipeline/pipeline_file.hpp"
#include "host/report/network_report.hpp"
#include "host/report/problems.hpp"
#include "host/report/show_formats.hpp"

namespace zz::host {
namespace {

using core::onnx_import::Dimensions;

/// "batch=4,sequence=128" as assignments "dimensions.batch=4" and "dimensions.sequence=128".
std::vector<std::string> assignments_of(const std::string& dimensions) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin <= dimensions.size();) {
    const std::size_t end = std::min(dimensions.find(',', begin), dimensions.size());
    all.push_back("dimensions." + dimensions.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

void read_lengths(const WrittenSetting& setting, Dimensions& lengths, core::Diagnostics& diagnostics) {
  if (!setting.value.is_map()) {
    diagnostics.error(setting.mark, "'dimensions' must be a map of names and lengths, but found " +
                                        setting.value.describe());
    return;
  }
  for (const auto& [name, value] : setting.value.entries) {
    const auto length = value.as_int();
    if (length && *length >= 0)
      lengths[name] = *length;
    else
      diagnostics.error(setting.mark, fmt::format("'{}' must be a whole number from 0, but found {}", name,
                                                  value.describe()));
  }
}

Dimensions dimensions_of(const Options& options, core::Diagnostics& diagnostics) {
  PipelineFile settings;
  for (const std::string& assignment : options.set) apply_set(settings, assignment, diagnostics);
  for (const std::string& list : options.dimensions)
    for (const std::string& assignment : assignments_of(list)) apply_set(settings, assignment, diagnostics);
  Dimensions lengths;
  const std::vector<std::string> known{"dimensions"};
  for (const WrittenSetting& setting : settings.parameters) {
    if (setting.name == known.front())
      read_lengths(setting, lengths, diagnostics);
    else
      diagnostics.error(setting.mark, fmt::format("unknown setting '{}' of a network", setting.name),
                        core::suggestion(setting.name, known));
  }
  return lengths;
}

}  // namespace

int network_verb(const Options& options) {
  core::Diagnostics diagnostics;
  try {
    const Dimensions dimensions = dimensions_of(options, diagnostics);
    diagnostics.throw_if_errors();
    const NetworkReport report = report_network(options.operands.front(), dimensions, diagnostics);
    tell(diagnostics);
    fmt::print("{}", options.format == "json" ? network_as_json(report) : network_as_table(report));
  } catch (const core::InputError& error) {
    tell(diagnostics);
    tell(error);
    return static_cast<int>(ExitCode::usage);
  }
  return static_cast<int>(ExitCode::done);
}

namespace {

std::uint64_t result_number(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size() || number == 0)
    throw UsageError(fmt::format("'{}' is not the number of a result; they count from 1", text));
  return number;
}

}  // namespace

int show_verb(const Options& options) {
  Selection selection{options.operands.front(), {}};
  for (std::size_t i = 1; i < options.operands.size(); ++i)
    selection.numbers.insert(result_number(options.operands[i]));
  try {
    if (options.format == "json")
      show_json(selection);
    else if (options.format == "csv")
      show_csv(selection);
    else if (options.format == "mapping")
      show_mapping(selection);
    else
      show_table(selection);
  } catch (const core::InputError& error) {
    std::fflush(stdout);
    tell(error);
    return static_cast<int>(ExitCode::usage);
  }
  return static_cast<int>(ExitCode::done);
}

}  // namespace zz::host
