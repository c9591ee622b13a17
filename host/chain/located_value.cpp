#include <fmt/format.h>
#include <set>

#include "core/diagnostics/nearest_name.hpp"
#include "core/value/key_list.hpp"
#include "core/value/name.hpp"
#include "host/chain/resolution.hpp"
#include "host/chain/setting_value.hpp"
#include "host/chain/stage_order.hpp"
#include "host/plugins/stage_table.hpp"

namespace zz::host {
namespace {

/// What a name in a map means.
struct NamedThing {
  const zz_param* parameter = nullptr;  ///< a setting of a stage below; null: something else, or unknown
  const ResolvedStage* user = nullptr;  ///< the stage that has the setting
  bool known = true;                    ///< false after an error: no stage below uses the name
};

bool sets_itself(const ResolvedStage& stage, const zz_param& parameter) {
  for (const WrittenSetting& setting : stage.entry.settings) {
    if (find_parameter(*stage.stage, setting.name) == &parameter) return true;
  }
  return false;
}

NamedThing find_below(Resolution& resolution, const ResolvedStage& stage, const std::string& name,
                      const core::SourceMark& mark) {
  std::set<std::string> names;
  const ResolvedStage* fixed = nullptr;
  bool taken = false;
  const std::string first_step(core::text_of(core::steps_of(core::intern(name)).front()));
  for (const ResolvedStage* below : stages_below(resolution.chain, stage)) {
    for (const zz_param& parameter : parameters_of(*below->stage)) names.insert(parameter.name);
    for (const zz_port& port : consumed_by(*below->stage)) {
      names.insert(port.key);
      taken = taken || first_step == port.key;
    }
    const zz_param* parameter = find_parameter(*below->stage, name);
    if (parameter == nullptr) continue;
    if (!sets_itself(*below, *parameter)) return {parameter, below};
    fixed = below;
  }
  if (fixed != nullptr) {
    resolution.diagnostics.error(
        mark, fmt::format("'{}' cannot vary: {} below sets it itself", name, fixed->label()),
        "remove the setting there");
    return {};
  }
  if (taken || !resolution.chain.complete) return {};
  resolution.diagnostics.error(
      mark, fmt::format("no stage below {} uses '{}'", stage.name(), name),
      core::suggestion(first_step, std::vector<std::string>(names.begin(), names.end())));
  return {nullptr, nullptr, false};
}

/// Takes the keys of a map for names of what the stages below take, and gives the values the form that
/// settings of those have: {name: values} or {"name, name": lists of values}.
void name_keys(Resolution& resolution, ResolvedStage& stage, core::yaml::Node& map, Origin origin) {
  for (std::size_t i = 0; i < map.entries.size(); ++i) {
    auto& [key, values] = map.entries[i];
    auto names = core::names_in_key(key);
    for (std::size_t part = 0; part < names.size(); ++part) {
      const NamedThing thing = find_below(resolution, stage, names[part], map.key_marks[i]);
      if (thing.parameter != nullptr) {
        names[part] = thing.parameter->name;
        for (core::yaml::Node& value : values.items) {
          core::yaml::Node* one = &value;
          if (names.size() > 1) one = part < value.items.size() ? &value.items[part] : nullptr;
          if (one == nullptr) continue;
          locate(resolution, *one, *thing.parameter, origin);
          setting_value(*one, *thing.parameter, thing.user->name(), resolution.diagnostics);
        }
      }
      if (thing.known) stage.named.push_back({names[part], map.key_marks[i]});
    }
    key = core::key_of_names(names);
  }
}

}  // namespace

void locate(const Resolution& resolution, core::yaml::Node& node, const zz_param& parameter,
            Origin origin) {
  const bool path = (parameter.flags & ZZ_INPUT_PATH) != 0 && node.is_scalar() && !node.text.empty();
  if (path && origin != Origin::command_line)
    node.text = relative_to_file(resolution.pipeline.path, node.text);
}

core::Value located_value(Resolution& resolution, const zz_param& parameter, const WrittenSetting& setting,
                          ResolvedStage& stage) {
  core::yaml::Node node = setting.value;
  locate(resolution, node, parameter, setting.origin);
  if (node.is_map() && provides_named_keys(*stage.stage))
    name_keys(resolution, stage, node, setting.origin);
  return setting_value(node, parameter, stage.name(), resolution.diagnostics);
}

}  // namespace zz::host
