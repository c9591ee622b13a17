#include "host/chain/stage_finder.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/input/yaml/document.hpp"
#include "host/base/run.hpp"
#include "host/chain/foreign_names.hpp"
#include "host/plugins/search_path.hpp"
#include "host/values/setting_value.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

/// Stages of a pipeline, those of settings included: each calls the one below. docs/limits.md names this
/// limit.
constexpr std::size_t most_stages = 1000;

class StageFinder {
 public:
  StageFinder(const PluginRegistry& registry, const AllowedCode& allowed, core::Diagnostics& diagnostics)
      : registry_(registry), allowed_(allowed), diagnostics_(diagnostics) {}

  FoundStages run(const std::vector<StageEntry>& entries) {
    found_.stages = find(entries, "");
    return std::move(found_);
  }

 private:
  std::vector<ResolvedStage> find(const std::vector<StageEntry>& entries,
                                  const std::string& position_above) {
    std::vector<ResolvedStage> stages;
    count_ += entries.size();
    if (count_ > most_stages) {
      if (!std::exchange(too_many_, true))
        diagnostics_.error(
            entries.front().mark,
            fmt::format("the pipeline has {} stages or more, counted with those of settings; "
                        "expected {} at most",
                        count_, most_stages),
            "run parts of it as pipelines of their own");
      found_.complete = false;
      return stages;
    }
    int number = 0;
    for (const StageEntry& entry : entries) {
      const std::string position = position_above + std::to_string(++number);
      left_.clear();
      const StageSource* found = find_stage(entry);
      const std::optional<StageSource> source =
          found == nullptr ? std::nullopt : stage_meant(*found, entry);
      found_.complete = found_.complete && source.has_value();
      found_.all_found = found_.all_found && (source.has_value() || !left_.empty());
      if (!source.has_value() && left_.empty()) continue;
      ResolvedStage& stage = stages.emplace_back();
      stage.position = position;
      stage.entry = entry;
      if (source.has_value()) {
        stage.stage = source->stage;
        stage.plugin = source->plugin;
        find_nested_stages(stage);
      } else {
        const bool last = &entry == &entries.back();
        stage.stand_in = std::make_shared<StandIn>(entry, left_, last, found != nullptr, registry_.host());
        stage.stage = &stage.stand_in->stage();
        stage.plugin = &stage.stand_in->plugin();
      }
    }
    return stages;
  }

  const StageSource* find_stage(const StageEntry& entry) {
    sources_ = registry_.find(entry.name);
    if (sources_.empty()) {
      left_ = registry_.missing_builtins().empty() ? registry_.left_files() : "";
      if (left_.empty())
        report_unknown_stage(entry);
      else
        report_left_stage(entry);
      return nullptr;
    }
    if (const StageSource* const preferred = preferred_source(); preferred != nullptr) {
      if (!is_named(*preferred)) tell_of_hidden(entry, *preferred);
      return preferred;
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

  const PluginFile* file_of(const StageSource& source) const {
    for (const PluginFile& file : registry_.files())
      if (file.plugin == source.plugin) return &file;
    return nullptr;
  }
  bool is_named(const StageSource& source) const {
    const PluginFile* const file = file_of(source);
    return file != nullptr && file->named;
  }

  /// Where several stages have the name: that of the only library that was named, else the built-in one;
  /// null: none of them comes first.
  const StageSource* preferred_source() const {
    if (sources_.size() < 2) return nullptr;
    const auto only = [&](const auto& holds) -> const StageSource* {
      const StageSource* found = nullptr;
      for (const StageSource& source : sources_) {
        if (!holds(source)) continue;
        if (found != nullptr) return nullptr;
        found = &source;
      }
      return found;
    };
    const auto named = [&](const StageSource& one) { return is_named(one); };
    if (std::any_of(sources_.begin(), sources_.end(), named)) return only(named);
    return only([&](const StageSource& one) {
      const PluginFile* const file = file_of(one);
      return file != nullptr && is_builtin_plugin(file->file);
    });
  }

  void tell_of_hidden(const StageEntry& entry, const StageSource& preferred) {
    for (const StageSource& source : sources_) {
      if (source.plugin == preferred.plugin) continue;
      diagnostics_.warning(entry.mark,
                           fmt::format("'{}' is the built-in stage; {} has one of the name as well",
                                       entry.name, source.plugin->file),
                           std::string_view(source.stage->id) == preferred.stage->id
                               ? "for that one name the library with --plugin"
                               : fmt::format("for that one write '{}', or name the library with --plugin",
                                             source.stage->id));
    }
  }

  /// A name that is near to a known one may be a slip.
  void report_left_stage(const StageEntry& entry) {
    const std::string near = core::nearest_name(entry.name, registry_.all_stage_names());
    if (near.empty()) return;
    diagnostics_.warning(entry.mark, fmt::format("'{}' is taken for a stage in {}", entry.name, left_),
                         "did you mean '" + near + "'?");
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
    std::string reason = other_writers_of_file(path);
    const bool allowed = reason.empty() && allowed_.allows(path);
    if (reason.empty() && !allowed) {
      reason = why_no_plugin(path);
      if (reason.empty()) {
        diagnostics_.warning(file->mark, fmt::format("the stages in {} are not looked at", path),
                             allowed_.hint);
        left_ = path;
        return std::nullopt;
      }
    }
    Plugin* const plugin = allowed ? load_plugin(path, registry_.host(), reason) : nullptr;
    if (plugin == nullptr) {
      diagnostics_.error(file->mark, fmt::format("the stages in {}: {}", path, reason));
      return std::nullopt;
    }
    std::vector<std::string> names;
    for (const zz_stage_desc* stage : std::span(plugin->table->stages, plugin->table->n_stages)) {
      if (goes_by(*stage, name->value.text)) return StageSource{stage, plugin};
      names.emplace_back(stage->name);
    }
    diagnostics_.error(name->mark,
                       fmt::format("{} has no stage '{}'", path, core::shown_text(name->value.text)),
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
      diagnostics_.error(
          entry.mark, found_.plugin_missing
                          ? fmt::format("unknown stage '{}', as above", core::shown_text(entry.name))
                          : fmt::format("unknown stage '{}'; {}", core::shown_text(entry.name), missing));
      found_.plugin_missing = true;
      return;
    }
    std::string message = fmt::format("unknown stage '{}'", core::shown_text(entry.name));
    std::string hint = registry_.suggestion(entry.name);
    for (const PluginFile& file : registry_.files()) {
      if (!file.broken()) continue;
      // The plugin that the user named was reported already, and probably has the stage.
      if (file.named) {
        hint = fmt::format("perhaps it is in {}, which was not loaded", file.file);
        if (const std::string near = registry_.nearest(entry.name); !near.empty())
          hint += fmt::format("; or did you mean '{}'?", near);
        found_.plugin_missing = true;
        break;
      }
      // A name that is near to none may belong to a plugin that did not load.
      if (!registry_.nearest(entry.name).empty()) continue;
      message += fmt::format("; the plugin {} was not loaded: {}", file.file, file.reason);
      found_.plugin_missing = true;
    }
    diagnostics_.error(entry.mark, message, hint);
  }

  const PluginRegistry& registry_;
  const AllowedCode& allowed_;
  core::Diagnostics& diagnostics_;
  FoundStages found_;
  std::size_t count_ = 0;  ///< of stages looked at
  bool too_many_ = false;  ///< that was told
  std::string left_;       ///< by the last look-up: where the code of the stage is that is not loaded
  std::vector<StageSource> sources_;  ///< by the last look-up
};

}  // namespace

FoundStages find_stages(const std::vector<StageEntry>& entries, const PluginRegistry& registry,
                        const AllowedCode& allowed, core::Diagnostics& diagnostics) {
  return StageFinder(registry, allowed, diagnostics).run(entries);
}

}  // namespace zz::host
