#include <algorithm>
#include <fmt/format.h>

#include "core/diagnostics/nearest_name.hpp"
#include "host/chain/find_stages.hpp"
#include "host/chain/resolution.hpp"
#include "host/chain/setting_value.hpp"
#include "host/chain/stage_order.hpp"
#include "host/plugins/stage_table.hpp"

namespace zz::host {
namespace {

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
    resolution.diagnostics.error(
        setting.mark, fmt::format("unknown setting '{}' of {}", setting.name, stage.name()),
        names.empty() ? "this stage has no settings" : core::suggestion(setting.name, names));
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

const ContextEntry* in_context(const ResolvedChain& chain, const char* key) {
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
        written != nullptr ? located_value(resolution, parameter, *written, stage) : entry->value;
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
                      core::Diagnostics& diagnostics) {
  FoundStages found = find_stages(pipeline.stages, registry, diagnostics);
  Resolution resolution{pipeline, registry, diagnostics, {}};
  ResolvedChain& chain = resolution.chain;
  chain.stages = std::move(found.stages);
  chain.complete = found.complete;
  chain.plugin_missing = found.plugin_missing;
  for_each_stage(chain.stages, [&](ResolvedStage& stage) {
    for (const WrittenSetting& setting : stage.entry.settings) take_own_setting(resolution, stage, setting);
  });
  place_parameters(resolution);
  for_each_stage(chain.stages, [&](ResolvedStage& stage) { complete_settings(resolution, stage); });
  return std::move(resolution.chain);
}

}  // namespace zz::host
