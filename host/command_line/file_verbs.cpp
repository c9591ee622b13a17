#include <algorithm>
#include <charconv>
#include <climits>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/nearest_name.hpp"
#include "host/base/exit_code.hpp"
#include "host/base/standard_output.hpp"
#include "host/command_line/network_options.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/pipeline/pipeline_file.hpp"
#include "host/report/network_report.hpp"
#include "host/report/problems.hpp"
#include "host/report/show_formats.hpp"
#include "host/report/show_program.hpp"

namespace zz::host {
namespace {

using core::onnx_import::Dimensions;
using core::onnx_import::GivenInputs;
using core::onnx_import::Values;

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
    else if (const auto expression = value.as_text())
      lengths[name] = *expression;
    else
      diagnostics.error(setting.mark,
                        fmt::format("'{}' must be a whole number from 0 or an expression of lengths, but "
                                    "found {}",
                                    name, value.describe()));
  }
}

/// The elements that a number, a truth value or a list of such means; nothing for anything else.
std::optional<Values> values_of(const core::yaml::Node& given) {
  std::vector<std::int64_t> integers;
  std::vector<double> numbers;
  const bool is_list = given.is_list();
  for (std::size_t i = 0; i < (is_list ? given.items.size() : 1); ++i) {
    const core::yaml::Node& item = is_list ? given.items[i] : given;
    const auto truth = item.as_bool();
    const auto integer = truth ? std::optional<std::int64_t>(*truth ? 1 : 0) : item.as_int();
    const auto number = integer ? std::optional(static_cast<double>(*integer)) : item.as_double();
    if (!number) return std::nullopt;
    if (integer) integers.push_back(*integer);
    numbers.push_back(*number);
  }
  return integers.size() == numbers.size() ? Values(std::move(integers)) : Values(std::move(numbers));
}

void read_values(const WrittenSetting& setting, GivenInputs& inputs, core::Diagnostics& diagnostics) {
  if (!setting.value.is_map()) {
    diagnostics.error(setting.mark, "'values' must be a map of inputs and their values, but found " +
                                        setting.value.describe());
    return;
  }
  for (const auto& [name, value] : setting.value.entries) {
    if (auto values = values_of(value))
      inputs.values[name] = std::move(*values);
    else
      diagnostics.error(
          setting.mark,
          fmt::format("'{}' must be a number or a list of numbers, but found {}", name, value.describe()));
  }
}

GivenInputs inputs_of(const Options& options, core::Diagnostics& diagnostics) {
  PipelineFile settings;
  for (const std::string& assignment : assignments_of(options))
    apply_set(settings, assignment, diagnostics);
  GivenInputs inputs;
  const std::vector<std::string> known{"dimensions", "values"};
  for (const WrittenSetting& setting : settings.parameters) {
    if (setting.name == "dimensions")
      read_lengths(setting, inputs.dimensions, diagnostics);
    else if (setting.name == "values")
      read_values(setting, inputs, diagnostics);
    else
      diagnostics.error(setting.mark, fmt::format("unknown setting '{}' of a network", setting.name),
                        core::suggestion(setting.name, known));
  }
  return inputs;
}

void tell_for_options(std::vector<core::Diagnostic> problems) {
  for (core::Diagnostic& each : problems) {
    each.hint = in_words_of_options(each.hint);
    tell(each);
  }
}

int run_network(const Options& options) {
  core::Diagnostics diagnostics;
  try {
    const GivenInputs given = inputs_of(options, diagnostics);
    diagnostics.throw_if_errors();
    const NetworkReport report = report_network(options.operands.front(), given, diagnostics);
    tell_for_options(diagnostics.all());
    fmt::print(standard_output(), "{}",
               options.format == "json" ? network_as_json(report) : network_as_table(report));
  } catch (const core::InputError& error) {
    tell_for_options(diagnostics.all());
    tell_for_options(error.diagnostics());
    return static_cast<int>(ExitCode::usage);
  }
  return static_cast<int>(ExitCode::done);
}

std::uint64_t result_number(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size() || number == 0)
    throw UsageError(fmt::format("'{}' is not the number of a result; they count from 1", text));
  return number;
}

bool is_number(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char letter) { return letter >= '0' && letter <= '9'; });
}

/// Words behind the archive: numbers of results, and the name of a layer where one is printed.
void select(Selection& selection, const std::string& word, const std::string& format) {
  if (!is_program_format(format) || is_number(word))
    selection.numbers.insert(result_number(word));
  else if (selection.layer.empty())
    selection.layer = word;
  else
    throw UsageError(fmt::format("--format={} prints one layer, and two are named: '{}' and '{}'", format,
                                 selection.layer, word));
}

int run_show(const Options& options) {
  Selection selection{options.operands.front(), {}};
  for (std::size_t i = 1; i < options.operands.size(); ++i)
    select(selection, options.operands[i], options.format);
  try {
    if (options.format == "json")
      show_json(selection);
    else if (options.format == "csv")
      show_csv(selection);
    else if (options.format == "mapping")
      show_mapping(selection);
    else if (is_program_format(options.format))
      show_program(selection, options.format);
    else
      show_table(selection);
  } catch (const core::InputError& error) {
    std::fflush(standard_output());
    tell(error);
    return static_cast<int>(ExitCode::usage);
  }
  return static_cast<int>(ExitCode::done);
}

void declare_network(OptionList& list, Options& given) {
  list.add("set", "KEY=VALUE", given.set,
           "set dimensions.NAME, a length that the file leaves open, or values.NAME, an input; "
           "repeatable");
  declare_inputs(list, given);
}

}  // namespace

const Verb network_verb("network", "MODEL",
                        "show what zz understands of an ONNX file: shapes, types, layers", "table|json", 1,
                        1, run_network, declare_network, nullptr, [] { return files({"onnx"}); });

const Verb show_verb(
    "show", "ARCHIVE [RESULT]... [LAYER]",
    "print or convert the results that a run saved, some of them, or one layer as a program",
    "table|json|csv|mapping|mlir|transform|timeloop|tiles", 1, INT_MAX, run_show, nullptr, nullptr,
    [] { return files(); });

}  // namespace zz::host
