#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "core/components/component_question.hpp"
#include "core/components/memory_cost.hpp"
#include "host/base/exit_code.hpp"
#include "host/base/standard_output.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/report/component_report.hpp"
#include "host/report/problems.hpp"

namespace zz::host {
namespace {

/// Arguments of the component, by name.
using CostOptions = std::map<std::string, std::string>;

int run_cost(const Options& options) {
  try {
    const ComponentReport report = report_component(options.operands.front(), options.own<CostOptions>());
    if (options.format == "json")
      fmt::print(standard_output(), "{}\n", core::json_text(component_as_json(report), {.indent = 2}));
    else
      fmt::print(standard_output(), "{}", component_as_table(report));
  } catch (const core::InputError& error) {
    tell(error);
    return static_cast<int>(ExitCode::usage);
  }
  return static_cast<int>(ExitCode::done);
}

/// Words that arguments of components may have.
Candidates words_of(std::string_view argument) {
  if (argument == "transistors") return words({"high_performance", "low_standby_power"});
  if (argument == "interface") return words(core::components::dram_interfaces());
  return {};
}

void declare_cost(OptionList& list, Options& given) {
  auto& own = given.own<CostOptions>();
  for (const core::components::Argument* argument : core::components::all_arguments()) {
    const std::string fallback =
        *argument->fallback == '\0' ? "" : fmt::format("; default: {}", argument->fallback);
    list.add(argument->name, *argument->unit == '\0' ? "NAME" : argument->unit, own[argument->name],
             fmt::format("{}{}", argument->doc, fallback), words_of(argument->name));
  }
}

Candidates components() {
  std::vector<std::string> names;
  for (const auto& one : core::components::all_components()) names.emplace_back(one.name);
  return words(std::move(names));
}

}  // namespace

const Verb cost_verb(
    "cost", "COMPONENT",
    "say what a memory, an operation, a converter or a wire costs: value, range and source", "table|json",
    1, 1, run_cost, declare_cost,
    [](Options& given) {
      std::erase_if(given.own<CostOptions>(), [](const auto& one) { return one.second.empty(); });
    },
    components);

}  // namespace zz::host
