#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string_view>

#include "core/diagnostics/nearest_name.hpp"
#include "core/value/key_list.hpp"
#include "core/value/name.hpp"
#include "host/chain/find_stages.hpp"
#include "host/chain/resolved_chain.hpp"
#include "host/chain/setting_value.hpp"
#include "host/chain/stage_order.hpp"
#include "host/plugins/stage_table.hpp"

namespace zz::host {
namespace {

using core::Diagnostics;

/// Parameters that every pipeline may carry, whether or not one of its stages heeds them.
bool is_general(std::string_view name) { return name == "seed" || name == "compat"; }

std::vector<std::string> parameter_names(const std::vector<StageSource>& stages) {
  std::set<std::string> names;
  for (const StageSource& source : stages) {
    for (const zz_param& parameter : parameters_of(*source.stage)) names.insert(parameter.name);
  }
  return {names.begin(), names.end()};
}

class Resolver {
 public:
  Resolver(const PipelineFile& pipeline, const PluginRegistry& registry, Diagnostics& diagnostics)
      : pipeline_(pipeline), registry_(registry), diagnostics_(diagnostics) {}

  ResolvedChain resolve() {
    FoundStages found = find_stages(pipeline_.stages, registry_, diagnostics_);
    chain_.stages = std::move(found.stages);
    chain_.complete = found.complete;
    chain_.plugin_missing = found.plugin_missing;
    for_each_stage(chain_.stages, [this](ResolvedStage& stage) {
      for (const WrittenSetting& setting : stage.entry.settings) take_own_setting(stage, setting);
    });
    for (const WrittenSetting& parameter : pipeline_.parameters) place_parameter(parameter);
    for_each_stage(chain_.stages, [this](ResolvedStage& stage) { complete_settings(stage); });
    return std::move(chain_);
  }

 private:
  template <class Function>
  static void for_each_stage(std::vector<ResolvedStage>& stages, const Function& function) {
    for (ResolvedStage& stage : stages) {
      function(stage);
      for (NestedStages& nested : stage.nested) for_each_stage(nested.stages, function);
    }
  }

  void take_own_setting(ResolvedStage& stage, const WrittenSetting& setting) {
    const zz_param* parameter = find_parameter(*stage.stage, setting.name);
    if (parameter == nullptr) {
      std::vector<std::string> names;
      for (const zz_param& known : parameters_of(*stage.stage)) names.push_back(known.name);
      diagnostics_.error(
          setting.mark, fmt::format("unknown setting '{}' of {}", setting.name, stage.name()),
          names.empty() ? "this stage has no settings" : core::suggestion(setting.name, names));
      return;
    }
    set(stage, *parameter, setting);
  }

  void set(ResolvedStage& stage, const zz_param& parameter, const WrittenSetting& setting) {
    for (const ResolvedSetting& other : stage.settings) {
      if (other.parameter != &parameter) continue;
      diagnostics_.error(setting.mark,
                         fmt::format("the setting '{}' of {} is given twice, also at {}", parameter.name,
                                     stage.name(), core::to_string(other.mark)));
      return;
    }
    core::Value value = located_value(parameter, setting, stage);
    stage.settings.push_back({&parameter, std::move(value), setting.origin, setting.mark, true});
  }

  /// The checked value; a path of a file is taken as relative to the pipeline file, unless it was
  /// written on the command line.
  core::Value located_value(const zz_param& parameter, const WrittenSetting& setting,
                            ResolvedStage& stage) {
    core::yaml::Node node = setting.value;
    locate(node, parameter, setting.origin);
    if (node.is_map() && provides_named_keys(*stage.stage)) name_keys(stage, node, setting.origin);
    return setting_value(node, parameter, stage.name(), diagnostics_);
  }

  void locate(core::yaml::Node& node, const zz_param& parameter, Origin origin) const {
    const bool path = (parameter.flags & ZZ_INPUT_PATH) != 0 && node.is_scalar() && !node.text.empty();
    if (path && origin != Origin::command_line) node.text = relative_to_file(pipeline_.path, node.text);
  }

  /// Takes the keys of a map for names of what the stages below take, and gives the values the form that
  /// settings of those have: {name: values} or {"name, name": lists of values}.
  void name_keys(ResolvedStage& stage, core::yaml::Node& map, Origin origin) {
    for (std::size_t i = 0; i < map.entries.size(); ++i) {
      auto& [key, values] = map.entries[i];
      auto names = core::names_in_key(key);
      for (std::size_t part = 0; part < names.size(); ++part) {
        const ResolvedStage* user = nullptr;
        bool known = true;
        const zz_param* parameter = varied_below(stage, names[part], map.key_marks[i], user, known);
        if (parameter != nullptr) {
          names[part] = parameter->name;
          for (core::yaml::Node& value : values.items) {
            core::yaml::Node* one = &value;
            if (names.size() > 1) one = part < value.items.size() ? &value.items[part] : nullptr;
            if (one == nullptr) continue;
            locate(*one, *parameter, origin);
            setting_value(*one, *parameter, user->name(), diagnostics_);
          }
        }
        if (known) stage.named.push_back({names[part], map.key_marks[i]});
      }
      key = core::key_of_names(names);
    }
  }

  /// The setting of a stage below that a name means; nullptr when it is something else that is known, or
  /// unknown, which is then told.
  const zz_param* varied_below(const ResolvedStage& stage, const std::string& name,
                               const core::SourceMark& mark, const ResolvedStage*& user, bool& known) {
    known = true;
    std::set<std::string> names;
    const ResolvedStage* fixed = nullptr;
    bool taken = false;
    const std::string first_step(core::text_of(core::steps_of(core::intern(name)).front()));
    for (const ResolvedStage* below : stages_below(chain_, stage)) {
      for (const zz_param& parameter : parameters_of(*below->stage)) names.insert(parameter.name);
      for (const zz_port& port : consumed_by(*below->stage)) {
        names.insert(port.key);
        taken = taken || first_step == port.key;
      }
      const zz_param* parameter = find_parameter(*below->stage, name);
      if (parameter == nullptr) continue;
      user = below;
      if (!sets_itself(*below, *parameter)) return parameter;
      fixed = below;
    }
    if (fixed != nullptr) {
      diagnostics_.error(mark,
                         fmt::format("'{}' cannot vary: {} below sets it itself", name, fixed->label()),
                         "remove the setting there");
    } else if (!taken && chain_.complete) {
      diagnostics_.error(
          mark, fmt::format("no stage below {} uses '{}'", stage.name(), name),
          core::suggestion(first_step, std::vector<std::string>(names.begin(), names.end())));
      known = false;
    }
    return nullptr;
  }

  static bool sets_itself(const ResolvedStage& stage, const zz_param& parameter) {
    for (const WrittenSetting& setting : stage.entry.settings) {
      if (find_parameter(*stage.stage, setting.name) == &parameter) return true;
    }
    return false;
  }

  /// Puts a parameter into the context, under the name by which the stages of the chain know it.
  void place_parameter(const WrittenSetting& parameter) {
    const auto stages = all_stages(chain_.stages);
    bool declared = false;
    for (const ResolvedStage* stage : stages) {
      const zz_param* known = find_parameter(*stage->stage, parameter.name);
      if (known == nullptr || (known->flags & ZZ_STAGES) != 0) continue;
      declared = true;
      warn_when_ineffective(parameter, *stage, *known);
      add_to_context(*known, parameter, *stage);
    }
    for (const ResolvedStage* stage : stages) {
      for (const zz_port& port : consumed_by(*stage->stage)) {
        if (declared || parameter.name != port.key || port.kind == ZZ_OBJECT) continue;
        chain_.context.push_back(
            {parameter.name, value_of(parameter.value), parameter.origin, parameter.mark});
        declared = true;
      }
    }
    if (!declared) report_undeclared(parameter);
  }

  void add_to_context(const zz_param& known, const WrittenSetting& parameter, const ResolvedStage& stage) {
    for (const ContextEntry& entry : chain_.context) {
      if (entry.key != known.name) continue;
      const bool same = entry.mark == parameter.mark && entry.origin == parameter.origin;
      if (same || entry.origin == Origin::command_line) return;
      if (parameter.origin != Origin::command_line) {
        diagnostics_.error(parameter.mark,
                           fmt::format("'{}' says the same as the parameter at {}: both mean '{}'",
                                       parameter.name, core::to_string(entry.mark), known.name),
                           "leave one of them out");
        return;
      }
    }
    const auto same_key = [&](const ContextEntry& entry) { return entry.key == known.name; };
    chain_.context.erase(std::remove_if(chain_.context.begin(), chain_.context.end(), same_key),
                         chain_.context.end());
    Diagnostics checked;
    core::yaml::Node node = parameter.value;
    locate(node, known, parameter.origin);
    chain_.context.push_back(
        {known.name, setting_value(node, known, stage.name(), checked), parameter.origin, parameter.mark});
  }

  void warn_when_ineffective(const WrittenSetting& parameter, const ResolvedStage& stage,
                             const zz_param& known) {
    if (parameter.origin != Origin::command_line) return;
    for (const ResolvedSetting& own : stage.settings) {
      if (own.parameter != &known) continue;
      diagnostics_.warning(
          parameter.mark,
          fmt::format("has no effect on {}, which sets '{}' itself", stage.label(), known.name),
          fmt::format("use --set {}.{}=...", stage.name(), known.name));
    }
  }

  void report_undeclared(const WrittenSetting& parameter) {
    if (is_general(parameter.name)) return;
    const auto known = registry_.stages();
    const auto names = parameter_names(known);
    // With unknown stages in the chain nobody can tell, unless it looks like a slip of the pen.
    if (!chain_.complete && core::nearest_name(parameter.name, names).empty()) return;
    for (const StageSource& source : known) {
      if (find_parameter(*source.stage, parameter.name) == nullptr) continue;
      diagnostics_.warning(
          parameter.mark,
          fmt::format("no stage of this pipeline uses the parameter '{}' (it belongs to {})",
                      parameter.name, source.stage->name));
      return;
    }
    // A name that is near to none is a note, or meant for a tool of the user's own.
    const bool slip = !core::nearest_name(parameter.name, names).empty();
    const std::string message = fmt::format("unknown parameter '{}'", parameter.name);
    if (slip) {
      diagnostics_.error(parameter.mark, message, core::suggestion(parameter.name, names));
    } else {
      diagnostics_.warning(parameter.mark, message, "no stage of any plugin has it");
    }
  }

  const WrittenSetting* written_parameter(const ContextEntry& entry) const {
    for (const WrittenSetting& parameter : pipeline_.parameters) {
      if (parameter.mark == entry.mark && parameter.origin == entry.origin) return &parameter;
    }
    return nullptr;
  }

  const ContextEntry* in_context(const char* key) const {
    for (const ContextEntry& entry : chain_.context) {
      if (entry.key == key) return &entry;
    }
    return nullptr;
  }

  /// Own settings first, then parameters, then defaults.
  void complete_settings(ResolvedStage& stage) {
    std::vector<ResolvedSetting> complete;
    for (const zz_param& parameter : parameters_of(*stage.stage)) {
      const auto own =
          std::find_if(stage.settings.begin(), stage.settings.end(),
                       [&](const ResolvedSetting& setting) { return setting.parameter == &parameter; });
      if (own != stage.settings.end()) {
        complete.push_back(*own);
      } else if (const ContextEntry* entry = in_context(parameter.name);
                 entry != nullptr && (parameter.flags & ZZ_STAGES) == 0) {
        const WrittenSetting* written = written_parameter(*entry);
        core::Value value = written != nullptr ? located_value(parameter, *written, stage) : entry->value;
        complete.push_back({&parameter, std::move(value), entry->origin, entry->mark, false});
      } else {
        if ((parameter.flags & ZZ_REQUIRED) != 0) report_missing(stage, parameter);
        complete.push_back({&parameter,
                            default_value(parameter, stage.name(), diagnostics_),
                            Origin::fallback,
                            {},
                            false});
      }
    }
    stage.settings = std::move(complete);
  }

  void report_missing(const ResolvedStage& stage, const zz_param& parameter) {
    // A stage above may provide it.
    for (const ResolvedStage* above : stages_above(chain_, stage)) {
      if (above->provides(parameter.name)) return;
    }
    diagnostics_.error(stage.mark(),
                       fmt::format("{} needs the setting '{}' ({}): {}", stage.name(), parameter.name,
                                   kind_name(parameter.kind), text_or_empty(parameter.doc)),
                       fmt::format("add '{}: ...' to the parameters", parameter.name));
  }

  const PipelineFile& pipeline_;
  const PluginRegistry& registry_;
  Diagnostics& diagnostics_;
  ResolvedChain chain_;
};

}  // namespace

std::string ResolvedStage::label() const {
  return fmt::format("stage {} {} in {} ({}:{})", position, name(), plugin->file_name(), mark().file,
                     mark().line);
}

bool ResolvedStage::provides(std::string_view key) const {
  for (const zz_port& port : provided_by(*stage)) {
    if (key == port.key) return true;
    if (std::string_view(port.key) == "*" && named.empty()) return true;
  }
  return std::any_of(named.begin(), named.end(), [&](const NamedKey& name) { return name.key == key; });
}

ResolvedChain resolve(const PipelineFile& pipeline, const PluginRegistry& registry,
                      Diagnostics& diagnostics) {
  return Resolver(pipeline, registry, diagnostics).resolve();
}

}  // namespace zz::host
