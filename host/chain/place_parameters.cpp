#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string_view>

#include "core/diagnostics/nearest_name.hpp"
#include "host/chain/resolution.hpp"
#include "host/chain/setting_value.hpp"
#include "host/chain/stage_order.hpp"
#include "host/plugins/stage_table.hpp"

namespace zz::host {
namespace {

/// Parameters that every pipeline may carry, whether or not one of its stages heeds them.
bool is_general(std::string_view name) { return name == "seed" || name == "compat"; }

std::vector<std::string> parameter_names(const std::vector<StageSource>& stages) {
  std::set<std::string> names;
  for (const StageSource& source : stages) {
    for (const zz_param& parameter : parameters_of(*source.stage)) names.insert(parameter.name);
  }
  return {names.begin(), names.end()};
}

void warn_when_ineffective(core::Diagnostics& diagnostics, const WrittenSetting& parameter,
                           const ResolvedStage& stage, const zz_param& known) {
  if (parameter.origin != Origin::command_line) return;
  for (const ResolvedSetting& own : stage.settings) {
    if (own.parameter != &known) continue;
    diagnostics.warning(
        parameter.mark,
        fmt::format("has no effect on {}, which sets '{}' itself", stage.label(), known.name),
        fmt::format("use --set {}.{}=...", stage.name(), known.name));
  }
}

void add_to_context(Resolution& resolution, const zz_param& known, const WrittenSetting& parameter,
                    const ResolvedStage& stage) {
  std::vector<ContextEntry>& context = resolution.chain.context;
  for (const ContextEntry& entry : context) {
    if (entry.key != known.name) continue;
    const bool same = entry.mark == parameter.mark && entry.origin == parameter.origin;
    if (same || entry.origin == Origin::command_line) return;
    if (parameter.origin != Origin::command_line) {
      resolution.diagnostics.error(parameter.mark,
                                   fmt::format("'{}' says the same as the parameter at {}: both mean '{}'",
                                               parameter.name, core::to_string(entry.mark), known.name),
                                   "leave one of them out");
      return;
    }
  }
  const auto same_key = [&](const ContextEntry& entry) { return entry.key == known.name; };
  context.erase(std::remove_if(context.begin(), context.end(), same_key), context.end());
  core::Diagnostics told_with_the_settings;
  core::yaml::Node node = parameter.value;
  locate(resolution, node, known, parameter.origin);
  context.push_back({known.name, setting_value(node, known, stage.name(), told_with_the_settings),
                     parameter.origin, parameter.mark});
}

void report_unused(Resolution& resolution, const WrittenSetting& parameter) {
  if (is_general(parameter.name)) return;
  const auto known = resolution.registry.stages();
  const auto names = parameter_names(known);
  const bool slip = !core::nearest_name(parameter.name, names).empty();
  // With unknown stages in the chain nobody can tell, unless it looks like a slip of the pen.
  if (!resolution.chain.complete && !slip) return;
  for (const StageSource& source : known) {
    if (find_parameter(*source.stage, parameter.name) == nullptr) continue;
    resolution.diagnostics.warning(
        parameter.mark, fmt::format("no stage of this pipeline uses the parameter '{}' (it belongs to {})",
                                    parameter.name, source.stage->name));
    return;
  }
  // A name that is near to none is a note, or meant for a tool of the user's own.
  const std::string message = fmt::format("unknown parameter '{}'", parameter.name);
  if (slip) {
    resolution.diagnostics.error(parameter.mark, message, core::suggestion(parameter.name, names));
  } else {
    resolution.diagnostics.warning(parameter.mark, message, "no stage of any plugin has it");
  }
}

void place_parameter(Resolution& resolution, const WrittenSetting& parameter) {
  const auto stages = all_stages(resolution.chain.stages);
  bool used = false;
  for (const ResolvedStage* stage : stages) {
    const zz_param* known = find_parameter(*stage->stage, parameter.name);
    if (known == nullptr || (known->flags & ZZ_STAGES) != 0) continue;
    used = true;
    warn_when_ineffective(resolution.diagnostics, parameter, *stage, *known);
    add_to_context(resolution, *known, parameter, *stage);
  }
  for (const ResolvedStage* stage : stages) {
    for (const zz_port& port : consumed_by(*stage->stage)) {
      if (used || parameter.name != port.key || port.kind == ZZ_OBJECT) continue;
      resolution.chain.context.push_back(
          {parameter.name, value_of(parameter.value), parameter.origin, parameter.mark});
      used = true;
    }
  }
  if (!used) report_unused(resolution, parameter);
}

}  // namespace

void place_parameters(Resolution& resolution) {
  for (const WrittenSetting& parameter : resolution.pipeline.parameters)
    place_parameter(resolution, parameter);
}

}  // namespace zz::host
