#include "host/chain/resolve.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "core/base/nearest_name.hpp"
#include "core/base/python_module.hpp"
#include "core/base/text.hpp"
#include "core/value/key_list.hpp"
#include "core/value/name.hpp"
#include "host/base/run.hpp"
#include "host/chain/foreign_names.hpp"
#include "host/chain/input_in_place.hpp"
#include "host/chain/named_keys.hpp"
#include "host/chain/stage_finder.hpp"
#include "host/plugins/search_path.hpp"
#include "host/values/setting_value.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

/// A pipeline whose names are being given their meaning: what is read, what has come of it, and where
/// problems go.
struct Resolution {
  const PipelineFile& pipeline;
  const PluginRegistry& registry;
  core::Diagnostics& diagnostics;
  ResolvedPipeline chain{};
  std::set<const WrittenSetting*> refused{};  ///< parameters that a stage said something about
};

/// Takes the path of a file, or a list of such, if the setting is one, as relative to the pipeline file,
/// unless it was written on the command line. What would be in the file may stand there instead.
void locate(const Resolution& resolution, core::yaml::Node& node, const zz_param& parameter,
            Origin origin) {
  if ((parameter.flags & ZZ_INPUT_PATH) == 0) return;
  if (parameter.kind == ZZ_STR && (node.is_map() || node.is_list()))
    keep_as_file(node, parameter.name);
  else if (origin != Origin::command_line)
    locate_paths(node, resolution.pipeline.path, current_run().files);
}

/// A file that is read must be there: better known now than after the search of the stages above.
void check_input_file(const Resolution& resolution, const core::yaml::Node& node, const zz_param& parameter,
                      const ResolvedStage& stage) {
  if ((parameter.flags & ZZ_INPUT_PATH) == 0 || !node.is_scalar() || node.text.empty()) return;
  if (current_run().files.in_memory(node.text) != nullptr) return;
  std::error_code problem;
  const bool folder = std::filesystem::is_directory(node.text, problem);
  if (!folder && ::access(node.text.c_str(), R_OK) == 0) {
    current_run().files.note_read(node.text);
    return;
  }
  const int cause = folder ? EISDIR : errno;
  const bool is_module = cause == ENOENT && core::is_python_module_name(node.text);
  resolution.diagnostics.error(
      node.mark,
      fmt::format("'{}' of {} names the file '{}', which cannot be read: {}{}", parameter.name,
                  stage.name(), node.text, std::strerror(cause),
                  is_module ? "; this looks like the name of a Python module" : ""),
      is_module         ? core::python_module_hint
      : cause == ENOENT ? core::suggestion_of_path(node.text)
                        : "");
}

/// The meaning of a name in a map.
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
      mark, fmt::format("no stage below {} uses '{}'", stage.name(), core::shown_text(name)),
      core::suggestion(first_step, std::vector<std::string>(names.begin(), names.end())));
  return {nullptr, nullptr, false};
}

bool is_setting_below(const Resolution& resolution, const ResolvedStage& stage, const std::string& name) {
  const auto below = stages_below(resolution.chain, stage);
  return std::any_of(below.begin(), below.end(), [&](const ResolvedStage* one) {
    return find_parameter(*one->stage, name) != nullptr;
  });
}

/// Takes the keys of a map for names of what the stages below take, and gives the values the form that
/// settings of those have: {name: values} or {"name, name": lists of values}.
void name_keys(Resolution& resolution, ResolvedStage& stage, core::yaml::Node& map, Origin origin) {
  const bool has_own_names = names_settings_alone(*stage.stage);
  for (std::size_t i = 0; i < map.entries.size(); ++i) {
    auto& [key, values] = map.entries[i];
    auto names = core::names_in_key(key);
    for (std::size_t part = 0; part < names.size(); ++part) {
      if (has_own_names && !is_setting_below(resolution, stage, names[part])) continue;
      const NamedThing thing = find_below(resolution, stage, names[part], map.key_marks[i]);
      if (thing.parameter != nullptr) {
        names[part] = thing.parameter->name;
        for (core::yaml::Node& value : values.items) {
          core::yaml::Node* one = &value;
          if (names.size() > 1) one = part < value.items.size() ? &value.items[part] : nullptr;
          if (one == nullptr) continue;
          locate(resolution, *one, *thing.parameter, origin);
          check_input_file(resolution, *one, *thing.parameter, *thing.user);
          setting_value(*one, *thing.parameter, thing.user->name(), resolution.diagnostics);
        }
      }
      if (thing.known) stage.named.push_back({names[part], map.key_marks[i]});
    }
    key = core::key_of_names(names);
  }
}

/// The value that a user wrote, located and checked. Names in a map that stand for what stages below take
/// become names that `stage` provides.
core::Value located_value(Resolution& resolution, const zz_param& parameter, const WrittenSetting& setting,
                          ResolvedStage& stage) {
  core::yaml::Node node = setting.value;
  locate(resolution, node, parameter, setting.origin);
  check_input_file(resolution, node, parameter, stage);
  if (node.is_map() && stage.stand_in == nullptr && provides_named_keys(*stage.stage))
    name_keys(resolution, stage, node, setting.origin);
  return setting_value(node, parameter, stage.name(), resolution.diagnostics);
}

/// Parameters that every pipeline may carry, whether or not one of its stages heeds them. A `note` is text
/// for who reads the file.
bool is_general(std::string_view name) { return name == "seed" || name == "compat" || name == "note"; }

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
    const bool of_program = entry.origin == Origin::command_line;
    if (same ||
        (of_program && (parameter.origin != Origin::command_line || entry.written == parameter.name)))
      return;
    if (of_program || parameter.origin != Origin::command_line) {
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
                     parameter.origin, parameter.mark, parameter.name});
}

/// A program means each of its arguments: one that changes nothing is a mistake.
void report_unused_argument(Resolution& resolution, const WrittenSetting& parameter) {
  std::vector<std::string> known;
  for (const ResolvedStage* stage : all_stages(resolution.chain.stages))
    for (const zz_param& setting : parameters_of(*stage->stage)) known.emplace_back(setting.name);
  const std::vector<std::string> anywhere = parameter_names(resolution.registry.stages());
  std::string owners;
  for (const StageSource& source : resolution.registry.stages())
    if (find_parameter(*source.stage, parameter.name) != nullptr)
      owners += (owners.empty() ? "" : ", ") + std::string(source.stage->name);
  std::string hint = advice_on_foreign_name(parameter.name);
  if (!core::nearest_name(parameter.name, known).empty())
    hint = core::suggestion(parameter.name, known);
  else if (hint.empty() && !owners.empty())
    hint = fmt::format("it is a setting of {}", owners);
  else if (hint.empty() && !core::nearest_name(parameter.name, anywhere).empty())
    hint = core::suggestion(parameter.name, anywhere);
  else if (hint.empty())
    hint = fmt::format(
        "what is for tables alone belongs to the argument `labels` of a point of a sweep, as "
        "labels={{\"{}\": ...}}",
        parameter.name);
  resolution.diagnostics.error(
      parameter.mark, fmt::format("no stage of this pipeline reads the argument '{}'", parameter.name),
      hint);
}

void report_unused(Resolution& resolution, const WrittenSetting& parameter) {
  if (parameter.name == "note" && !parameter.value.is_scalar())
    resolution.diagnostics.error(parameter.mark, "'note' must be a text",
                                 "keys that start with x- may have any value");
  if (parameter.name == "seed" && !parameter.value.is_null() && !parameter.value.as_int())
    resolution.diagnostics.error(parameter.value.mark,
                                 "'seed' must be a whole number, but found " + parameter.value.describe());
  if (is_general(parameter.name)) return;
  if (resolution.pipeline.arguments.contains(parameter.name) && resolution.chain.complete)
    return report_unused_argument(resolution, parameter);
  const auto known = resolution.registry.stages();
  const auto names = parameter_names(known);
  const bool of_a_stage = std::find(names.begin(), names.end(), parameter.name) != names.end();
  const std::string advice = advice_on_foreign_name(parameter.name);
  const bool of_a_missing_stage =
      !resolution.chain.complete && (of_a_stage || resolution.chain.plugin_missing);
  if (!advice.empty() && !of_a_missing_stage) {
    resolution.diagnostics.error(parameter.mark, fmt::format("'{}' does nothing here", parameter.name),
                                 advice);
    return;
  }
  const bool slip = !core::nearest_name(parameter.name, names).empty();
  // A parameter may belong to one of the unknown stages, unless it looks misspelt.
  if (!resolution.chain.complete && !slip) {
    if (resolution.chain.all_found)
      resolution.chain.context.push_back(
          {parameter.name, value_of(parameter.value), parameter.origin, parameter.mark});
    return;
  }
  for (const StageSource& source : known) {
    if (find_parameter(*source.stage, parameter.name) == nullptr) continue;
    resolution.diagnostics.warning(
        parameter.mark, fmt::format("no stage of this pipeline uses the parameter '{}' (it belongs to {})",
                                    parameter.name, source.stage->name));
    return;
  }
  if (!slip && is_passed_over(parameter.name)) {
    resolution.diagnostics.warning(
        parameter.mark, fmt::format("'{}' of ZigZag or Stream changes nothing here", parameter.name));
    return;
  }
  // It would change nothing, and the user means that it does. Settings of this pipeline are listed first.
  std::set<std::string> here;
  for (const ResolvedStage* stage : all_stages(resolution.chain.stages))
    for (const zz_param& setting : parameters_of(*stage->stage)) here.insert(setting.name);
  // As a file of hint loops has it, put whole into the parameters.
  const bool doubled = parameter.name == "parameters" && parameter.value.is_map();
  resolution.diagnostics.error(
      parameter.mark, fmt::format("unknown parameter '{}'", core::shown_text(parameter.name)),
      doubled ? "what stands below it belongs here, one level higher"
      : slip  ? core::suggestion(parameter.name, names)
              : core::suggestion(parameter.name, std::vector<std::string>(here.begin(), here.end())));
}

/// The parameter became a setting of the stage: with_chains().
bool is_own_chain(const ResolvedStage& stage, const zz_param& known, const WrittenSetting& parameter) {
  return (known.flags & ZZ_STAGES) != 0 &&
         std::any_of(stage.entry.settings.begin(), stage.entry.settings.end(), [&](const auto& setting) {
           return setting.mark == parameter.mark && setting.name == parameter.name;
         });
}

void place_parameter(Resolution& resolution, const WrittenSetting& parameter) {
  const auto stages = all_stages(resolution.chain.stages);
  bool used = false;
  const ResolvedStage* fixed = nullptr;  // a stage that has a value of its own
  bool heeded = false;
  for (const ResolvedStage* stage : stages) {
    const zz_param* known = find_parameter(*stage->stage, parameter.name);
    if (known == nullptr) continue;
    used = true;
    if (is_own_chain(*stage, *known, parameter)) {
      heeded = true;
      continue;
    }
    if (sets_itself(*stage, *known))
      fixed = stage;
    else
      heeded = true;
    warn_when_ineffective(resolution.diagnostics, parameter, *stage, *known);
    if ((known->flags & ZZ_STAGES) == 0) add_to_context(resolution, *known, parameter, *stage);
  }
  for (const ResolvedStage* stage : stages) {
    for (const zz_port& port : consumed_by(*stage->stage)) {
      if (used || parameter.name != port.key || port.kind == ZZ_OBJECT) continue;
      resolution.chain.context.push_back(
          {parameter.name, value_of(parameter.value), parameter.origin, parameter.mark});
      used = heeded = true;
    }
  }
  if (!used) report_unused(resolution, parameter);
  if (used && !heeded && fixed != nullptr && resolution.pipeline.arguments.contains(parameter.name))
    resolution.diagnostics.error(
        parameter.mark,
        fmt::format("the argument '{}' changes nothing: {} sets it itself", parameter.name, fixed->label()),
        fmt::format("give '{}.{}'", fixed->name(), parameter.name));
}

/// The stage that hands down the object `key` first, as its file or the like says it; nullptr: none does.
ResolvedStage* first_provider(ResolvedPipeline& chain, std::string_view key) {
  for (ResolvedStage& stage : chain.stages) {
    for (const zz_port& port : provided_by(*stage.stage))
      if (key == port.key && (port.kind == ZZ_OBJECT || port.kind == ZZ_NULL)) return &stage;
  }
  return nullptr;
}

void place_change(Resolution& resolution, const WrittenSetting& change) {
  const std::string key(core::text_of(core::steps_of(core::intern(change.name)).front()));
  if (ResolvedStage* stage = first_provider(resolution.chain, key); stage != nullptr) {
    stage->changes.push_back({change.name, value_of(change.value), change.origin, change.mark});
    return;
  }
  if (!resolution.chain.complete) return;
  std::vector<std::string> keys;
  for (const ResolvedStage& stage : resolution.chain.stages) {
    for (const zz_port& port : provided_by(*stage.stage))
      if (port.kind == ZZ_OBJECT) keys.emplace_back(port.key);
  }
  resolution.diagnostics.error(
      change.mark,
      fmt::format("'{}' is a part of '{}', which no stage hands down as an object", change.name, key),
      core::suggestion(key, keys));
}

/// Puts the parameters of the pipeline into the context, each under the name by which the stages of the
/// chain know it. Settings that stages have of their own must be known already.
void place_parameters(Resolution& resolution) {
  for (const WrittenSetting& parameter : resolution.pipeline.parameters)
    place_parameter(resolution, parameter);
}

template <class Function>
void for_each_stage(std::vector<ResolvedStage>& stages, const Function& function) {
  for (ResolvedStage& stage : stages) {
    function(stage);
    for (NestedStages& nested : stage.nested) for_each_stage(nested.stages, function);
  }
}

void take_own_setting(Resolution& resolution, ResolvedStage& stage, const WrittenSetting& setting) {
  const zz_param* parameter = find_parameter(*stage.stage, setting.name);
  if (parameter == nullptr) {
    std::vector<std::string> names;
    for (const zz_param& known : parameters_of(*stage.stage)) names.push_back(known.name);
    const std::string advice = advice_on_foreign_name(setting.name);
    resolution.diagnostics.error(
        setting.mark,
        fmt::format("unknown setting '{}' of {}", core::shown_text(setting.name), stage.name()),
        !advice.empty() ? advice
        : names.empty() ? "this stage has no settings"
                        : core::suggestion(setting.name, names));
    return;
  }
  for (const ResolvedSetting& other : stage.settings) {
    if (other.parameter != parameter) continue;
    resolution.diagnostics.error(
        setting.mark, fmt::format("the setting '{}' of {} is given twice, also at {}", parameter->name,
                                  stage.name(), core::to_string(other.mark)));
    return;
  }
  core::Value value = located_value(resolution, *parameter, setting, stage);
  stage.settings.push_back({parameter, std::move(value), setting.origin, setting.mark, true});
}

const WrittenSetting* written_parameter(const Resolution& resolution, const ContextEntry& entry) {
  for (const WrittenSetting& parameter : resolution.pipeline.parameters) {
    if (parameter.mark == entry.mark && parameter.origin == entry.origin) return &parameter;
  }
  return nullptr;
}

/// The value of a parameter of the pipeline for a stage that has the setting. The first of several stages
/// that refuse it says so.
core::Value parameter_value(Resolution& resolution, const zz_param& parameter,
                            const WrittenSetting& written, ResolvedStage& stage) {
  if (resolution.refused.count(&written) != 0) return {};
  const std::size_t problems = resolution.diagnostics.all().size();
  core::Value value = located_value(resolution, parameter, written, stage);
  if (resolution.diagnostics.all().size() > problems) resolution.refused.insert(&written);
  return value;
}

const ContextEntry* in_context(const ResolvedPipeline& chain, const char* key) {
  for (const ContextEntry& entry : chain.context) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

void report_missing(Resolution& resolution, const ResolvedStage& stage, const zz_param& parameter) {
  const auto above = stages_above(resolution.chain, stage);
  const auto provides_it = [&](const ResolvedStage* one) { return one->provides(parameter.name); };
  if (std::any_of(above.begin(), above.end(), provides_it)) return;
  resolution.diagnostics.error(
      stage.mark(),
      fmt::format("{} needs the setting '{}' ({}): {}", stage.name(), parameter.name,
                  kind_name(parameter.kind), text_or_empty(parameter.doc)),
      fmt::format("add '{}: ...' to the parameters", parameter.name));
}

/// Own settings first, then parameters, then defaults.
ResolvedSetting complete_setting(Resolution& resolution, ResolvedStage& stage, const zz_param& parameter) {
  const auto own =
      std::find_if(stage.settings.begin(), stage.settings.end(),
                   [&](const ResolvedSetting& setting) { return setting.parameter == &parameter; });
  if (own != stage.settings.end()) return *own;
  const ContextEntry* entry = in_context(resolution.chain, parameter.name);
  if (entry != nullptr && (parameter.flags & ZZ_STAGES) == 0) {
    const WrittenSetting* written = written_parameter(resolution, *entry);
    core::Value value =
        written != nullptr ? parameter_value(resolution, parameter, *written, stage) : entry->value;
    return {&parameter, std::move(value), entry->origin, entry->mark, false};
  }
  if ((parameter.flags & ZZ_REQUIRED) != 0) report_missing(resolution, stage, parameter);
  return {&parameter,
          default_value(parameter, stage.name(), resolution.diagnostics),
          Origin::fallback,
          {},
          false};
}

void complete_settings(Resolution& resolution, ResolvedStage& stage) {
  std::vector<ResolvedSetting> complete;
  for (const zz_param& parameter : parameters_of(*stage.stage))
    complete.push_back(complete_setting(resolution, stage, parameter));
  stage.settings = std::move(complete);
}

/// The stages with those parameters that are chains of their own: what stands in a chain is looked up
/// before parameters are handed down, so that a stage has them as if they were written there.
std::vector<StageEntry> with_chains(const PipelineFile& pipeline, const PluginRegistry& registry) {
  std::vector<StageEntry> stages = pipeline.stages;
  for (StageEntry& entry : stages) {
    const std::vector<StageSource> known = registry.find(entry.name);
    if (known.empty()) continue;
    const zz_stage_desc& stage = *known.front().stage;
    for (const WrittenSetting& parameter : pipeline.parameters) {
      const zz_param* const chain = find_parameter(stage, parameter.name);
      const bool is_chain = chain != nullptr && (chain->flags & ZZ_STAGES) != 0;
      const bool own = std::any_of(
          entry.settings.begin(), entry.settings.end(),
          [&](const WrittenSetting& setting) { return find_parameter(stage, setting.name) == chain; });
      if (is_chain && !own) entry.settings.push_back(parameter);
    }
  }
  return stages;
}

}  // namespace

ResolvedPipeline resolve(const PipelineFile& pipeline, const PluginRegistry& registry,
                         const AllowedCode& allowed, core::Diagnostics& diagnostics) {
  FoundStages found = find_stages(with_chains(pipeline, registry), registry, allowed, diagnostics);
  Resolution resolution{pipeline, registry, diagnostics, {}};
  ResolvedPipeline& chain = resolution.chain;
  chain.stages = std::move(found.stages);
  chain.complete = found.complete;
  chain.all_found = found.all_found;
  chain.plugin_missing = found.plugin_missing;
  for_each_stage(chain.stages, [&](ResolvedStage& stage) {
    for (const WrittenSetting& setting : stage.entry.settings) take_own_setting(resolution, stage, setting);
  });
  place_parameters(resolution);
  for (const WrittenSetting& change : pipeline.changes) place_change(resolution, change);
  for_each_stage(chain.stages, [&](ResolvedStage& stage) { complete_settings(resolution, stage); });
  return std::move(resolution.chain);
}

}  // namespace zz::host
