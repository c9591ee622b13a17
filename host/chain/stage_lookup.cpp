#include "host/chain/stage_lookup.hpp"

#include <fmt/format.h>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/nearest_name.hpp"
#include "host/plugins/stage_table.hpp"
#include "host/services/run.hpp"

namespace zz::host {
namespace {

class StageFinder {
 public:
  StageFinder(const PluginRegistry& registry, core::Diagnostics& diagnostics)
      : registry_(registry), diagnostics_(diagnostics) {}

  FoundStages run(const std::vector<StageEntry>& entries) {
    found_.stages = find(entries, "");
    return std::move(found_);
  }

 private:
  std::vector<ResolvedStage> find(const std::vector<StageEntry>& entries,
                                  const std::string& position_above) {
    std::vector<ResolvedStage> stages;
    int number = 0;
    for (const StageEntry& entry : entries) {
      const std::string position = position_above + std::to_string(++number);
      const StageSource* found = find_stage(entry);
      const std::optional<StageSource> source =
          found == nullptr ? std::nullopt : stage_meant(*found, entry);
      found_.complete = found_.complete && source.has_value();
      if (!source.has_value()) continue;
      ResolvedStage& stage = stages.emplace_back();
      stage.position = position;
      stage.stage = source->stage;
      stage.plugin = source->plugin;
      stage.entry = entry;
      find_nested_stages(stage);
    }
    return stages;
  }

  const StageSource* find_stage(const StageEntry& entry) {
    sources_ = registry_.find(entry.name);
    if (sources_.empty()) {
      report_unknown_stage(entry);
      return nullptr;
    }
    if (sources_.size() > 1) {
      std::string files;
      for (const StageSource& source : sources_) {
        files +=
            fmt::format("{}{} ({})", files.empty() ? "" : " and ", source.plugin->file, source.stage->id);
      }
      diagnostics_.error(entry.mark, fmt::format("the stage name '{}' is claimed by {}", entry.name, files),
                         std::string_view(sources_[0].stage->id) == sources_[1].stage->id
                             ? "remove one of the plugins"
                             : "name the stage by its id, or remove one of the plugins");
      return nullptr;
    }
    return &sources_.front();
  }

  /// The stage itself; or, for one that stands for stages in files, the one that its settings name.
  std::optional<StageSource> stage_meant(const StageSource& source, const StageEntry& entry) {
    if ((source.stage->flags & ZZ_STAGE_IN_FILE) == 0) return source;
    const WrittenSetting* const file = setting_of(entry, "file");
    const WrittenSetting* const name = setting_of(entry, "stage");
    if (file == nullptr || name == nullptr) {
      diagnostics_.error(
          entry.mark,
          fmt::format("{} needs the setting '{}'", entry.name, file == nullptr ? "file" : "stage"),
          fmt::format("write '{}: {{file: my_stages.py, stage: MyStage}}'", entry.name));
      return std::nullopt;
    }
    const std::string path = file->origin == Origin::command_line
                                 ? file->value.text
                                 : relative_to_file(entry.mark.file, file->value.text, current_run().files);
    std::string reason;
    Plugin* const plugin = load_plugin(path, reason);
    if (plugin == nullptr) {
      diagnostics_.error(file->mark, fmt::format("the stages in {}: {}", path, reason));
      return std::nullopt;
    }
    std::vector<std::string> names;
    for (const zz_stage_desc* stage : std::span(plugin->table->stages, plugin->table->n_stages)) {
      if (goes_by(*stage, name->value.text)) return StageSource{stage, plugin};
      names.emplace_back(stage->name);
    }
    diagnostics_.error(name->mark, fmt::format("{} has no stage '{}'", path, name->value.text),
                       core::suggestion(name->value.text, names));
    return std::nullopt;
  }

  static const WrittenSetting* setting_of(const StageEntry& entry, std::string_view name) {
    for (const WrittenSetting& setting : entry.settings)
      if (setting.name == name && setting.value.is_scalar()) return &setting;
    return nullptr;
  }

  /// The chains that are settings of a stage: as written there, else the default.
  void find_nested_stages(ResolvedStage& stage) {
    for (const zz_param& parameter : parameters_of(*stage.stage)) {
      if ((parameter.flags & ZZ_STAGES) == 0) continue;
      const core::yaml::Node node = stages_node(stage, parameter);
      if (node.is_null()) continue;
      const auto entries =
          read_stages(node, fmt::format("'{}' of {}", parameter.name, stage.name()), diagnostics_);
      auto stages = find(entries, stage.position + ".");
      stage.nested.push_back({&parameter, std::move(stages)});
    }
  }

  core::yaml::Node stages_node(const ResolvedStage& stage, const zz_param& parameter) {
    for (const WrittenSetting& setting : stage.entry.settings) {
      if (find_parameter(*stage.stage, setting.name) == &parameter) return setting.value;
    }
    core::yaml::Node node;
    if (parameter.def != nullptr && *parameter.def != '\0' && std::string_view(parameter.def) != "null") {
      node = core::yaml::load_text(
          parameter.def, fmt::format("the default of {}.{}", stage.name(), parameter.name), diagnostics_);
    }
    return node;
  }

  void report_unknown_stage(const StageEntry& entry) {
    // MainStage of ZigZag and Stream runs the other stages.
    if (entry.name == "MainStage") {
      diagnostics_.error(entry.mark, "MainStage is no stage of a list: the pipeline file itself is it",
                         "take the entry out; 'zz-host FILE' runs the list");
      return;
    }
    if (const std::string missing = registry_.missing_builtins(); !missing.empty()) {
      // The reason is long and the same for every stage, so it is given once.
      diagnostics_.error(entry.mark, found_.plugin_missing
                                         ? fmt::format("unknown stage '{}', as above", entry.name)
                                         : fmt::format("unknown stage '{}'; {}", entry.name, missing));
      found_.plugin_missing = true;
      return;
    }
    std::string message = fmt::format("unknown stage '{}'", entry.name);
    const auto known = registry_.all_stage_names();
    std::string hint = registry_.suggestion(entry.name);
    for (const PluginFile& file : registry_.files()) {
      if (!file.broken()) continue;
      // The plugin that the user named was reported already, and probably has the stage.
      if (file.named) {
        hint = fmt::format("perhaps it is in {}, which was not loaded", file.file);
        if (const std::string near = core::nearest_name(entry.name, known); !near.empty())
          hint += fmt::format("; or did you mean '{}'?", near);
        found_.plugin_missing = true;
        break;
      }
      // A name that is near to none may belong to a plugin that did not load.
      if (!core::nearest_name(entry.name, known).empty()) continue;
      message += fmt::format("; the plugin {} was not loaded: {}", file.file, file.reason);
      found_.plugin_missing = true;
    }
    diagnostics_.error(entry.mark, message, hint);
  }

  const PluginRegistry& registry_;
  core::Diagnostics& diagnostics_;
  FoundStages found_;
  std::vector<StageSource> sources_;  ///< by the last look-up
};

}  // namespace

FoundStages find_stages(const std::vector<StageEntry>& entries, const PluginRegistry& registry,
                        core::Diagnostics& diagnostics) {
  return StageFinder(registry, diagnostics).run(entries);
}

}  // namespace zz::host
