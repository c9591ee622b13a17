#include "host/report/explain.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/value/key_list.hpp"
#include "core/value/read.hpp"
#include "host/chain/input_in_place.hpp"
#include "host/values/stage_table.hpp"
#include "host/values/yaml_text.hpp"

namespace zz::host {
namespace {

std::string ports_text(std::span<const zz_port> ports) {
  std::string text;
  for (const zz_port& port : ports) {
    text += fmt::format("{}{}: {}{}", text.empty() ? "" : ", ", port.key, port_type_name(port),
                        (port.flags & ZZ_OPTIONAL) != 0 ? " (if there)" : "");
  }
  return text;
}

std::string stage_text(const ResolvedStage& stage) {
  const std::string place = core::to_string(stage.mark());
  std::string text = stage.stand_in != nullptr
                         ? fmt::format("{:>2}. {}  [not looked at: {}, {}]\n", stage.position, stage.name(),
                                       stage.stand_in->files(), place)
                         : fmt::format("{:>2}. {}  [{} in {}, {}]\n", stage.position, stage.stage->name,
                                       stage.stage->id, stage.plugin->file_name(), place);
  for (const ResolvedSetting& setting : stage.settings) {
    const char* unit = setting.parameter->unit;
    text += fmt::format("      {} = {}{}  ({})\n", setting.parameter->name,
                        core::to_json(setting.value.ref()), unit != nullptr ? fmt::format(" {}", unit) : "",
                        origin_text(setting.origin, setting.mark));
  }
  if (stage.stage->n_consumes > 0)
    text += fmt::format("      takes {}\n", ports_text(consumed_by(*stage.stage)));
  if (stage.stage->n_provides > 0 && stage.stand_in == nullptr)
    text += fmt::format("      hands down {}\n", ports_text(provided_by(*stage.stage)));
  for (const ChangedPart& change : stage.changes) {
    text += fmt::format("      with {} = {}  ({})\n", change.path, core::to_json(change.value.ref()),
                        origin_text(change.origin, change.mark));
  }
  return text;
}

}  // namespace

std::string origin_text(Origin origin, const core::SourceMark& mark) {
  return origin == Origin::fallback ? "default" : core::to_string(mark);
}

std::string explain_as_text(const ResolvedPipeline& chain) {
  std::string text = chain.context.empty() ? "" : "parameters\n";
  for (const ContextEntry& entry : chain.context) {
    text += fmt::format("      {} = {}  ({})\n", entry.key, core::to_json(entry.value.ref()),
                        origin_text(entry.origin, entry.mark));
  }
  if (!chain.stages.empty()) text += "stages, outermost first\n";
  for (const ResolvedStage* stage : all_stages(chain.stages)) text += stage_text(*stage);
  return text;
}

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const core::Value& value) { return Json::parse(core::to_json(value.ref()), nullptr, false); }

Json json_of(std::span<const zz_port> ports) {
  Json all = Json::array();
  for (const zz_port& port : ports) {
    all.push_back(
        {{"key", port.key}, {"type", port_type_name(port)}, {"optional", (port.flags & ZZ_OPTIONAL) != 0}});
  }
  return all;
}

Json json_of(const std::vector<ResolvedStage>& stages) {
  Json all = Json::array();
  for (const ResolvedStage& stage : stages) {
    Json settings = Json::array();
    for (const ResolvedSetting& setting : stage.settings) {
      const char* unit = setting.parameter->unit;
      settings.push_back({{"name", setting.parameter->name},
                          {"value", json_of(setting.value)},
                          {"unit", unit != nullptr ? Json(unit) : Json(nullptr)},
                          {"origin", origin_text(setting.origin, setting.mark)}});
    }
    Json changes = Json::array();
    for (const ChangedPart& change : stage.changes) {
      changes.push_back({{"name", change.path},
                         {"value", json_of(change.value)},
                         {"origin", origin_text(change.origin, change.mark)}});
    }
    Json nested = Json::object();
    for (const NestedStages& list : stage.nested) nested[list.parameter->name] = json_of(list.stages);
    const bool looked_at = stage.stand_in == nullptr;
    all.push_back({{"position", stage.position},
                   {"name", stage.stage->name},
                   {"id", looked_at ? Json(stage.stage->id) : Json(nullptr)},
                   {"plugin", stage.plugin->file},
                   {"looked_at", looked_at},
                   {"place", core::to_string(stage.mark())},
                   {"settings", std::move(settings)},
                   {"consumes", json_of(consumed_by(*stage.stage))},
                   {"provides", looked_at ? json_of(provided_by(*stage.stage)) : Json::array()},
                   {"changes", std::move(changes)},
                   {"stages_in_settings", std::move(nested)}});
  }
  return all;
}

}  // namespace

Json not_looked_at_json(const ResolvedPipeline& chain) {
  Json all = Json::array();
  for (const ResolvedStage* stage : stages_not_looked_at(chain.stages))
    all.push_back(
        {{"position", stage->position}, {"stage", stage->name()}, {"file", stage->stand_in->files()}});
  return all;
}

std::string explain_as_json(const ResolvedPipeline& chain) {
  Json parameters = Json::array();
  for (const ContextEntry& entry : chain.context) {
    parameters.push_back({{"name", entry.key},
                          {"value", json_of(entry.value)},
                          {"origin", origin_text(entry.origin, entry.mark)}});
  }
  return Json{{"parameters", std::move(parameters)}, {"stages", json_of(chain.stages)}}.dump(
             2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

namespace {

std::string absolute(std::string_view path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

core::Value absolute(const core::Value& value) {
  std::string_view text;
  if (core::kind_of(value.ref()) == core::Kind::list) {
    std::vector<core::Value> items;
    for (std::uint32_t i = 0; i < core::count_of(value.ref()); ++i)
      items.push_back(absolute(core::held_part(value, core::part_at(value.ref(), i))));
    return core::Value::list(std::move(items));
  }
  if (!core::read_text(value.ref(), text) || text.empty()) return value;
  if (const auto kept = input_in_place(std::string(text))) return *kept;
  return core::Value::text(absolute(text));
}

enum class Detail { everything, what_is_written };

class NormalForm {
 public:
  NormalForm(const ResolvedPipeline& chain, Detail detail) : chain_(chain), detail_(detail) {}

  std::string text(const PipelineFile& pipeline) {
    line(0, "version: 1", "");
    write_plugins(pipeline);
    if (!chain_.context.empty() || !pipeline.changes.empty()) line(0, "parameters:", "");
    for (const ContextEntry& entry : chain_.context)
      line(1, fmt::format("{}: {}", key(entry.key), yaml_text(located(entry).ref())),
           origin(entry.origin, entry.mark));
    for (const ResolvedStage& stage : chain_.stages) {
      for (const ChangedPart& change : stage.changes)
        line(1, fmt::format("{}: {}", key(change.path), yaml_text(change.value.ref())),
             origin(change.origin, change.mark));
    }
    line(0, "stages:", "");
    write_stages(chain_.stages, 1);
    return std::move(text_);
  }

 private:
  bool everything() const { return detail_ == Detail::everything; }

  std::string origin(Origin origin, const core::SourceMark& mark) const {
    return everything() ? origin_text(origin, mark) : "";
  }

  void line(int depth, const std::string& content, const std::string& comment) {
    text_.append(2 * static_cast<std::size_t>(depth), ' ');
    text_ += content;
    if (!comment.empty()) text_ += "  # " + comment;
    text_ += "\n";
  }

  /// Names of settings are plain words, but keys of contexts may be any text.
  static std::string key(const std::string& name) {
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    return plain && !name.empty() ? name : core::to_json(core::Value::text(name).ref());
  }

  /// The plugins that the search path does not find.
  void write_plugins(const PipelineFile& pipeline) {
    std::vector<std::string> files;
    for (const PluginEntry& plugin : pipeline.plugins) files.push_back(absolute(plugin.file));
    for (const ResolvedStage* stage : all_stages(chain_.stages))
      if (stage->stand_in == nullptr) files.push_back(absolute(stage->plugin->file));
    std::vector<std::string> told;
    const auto builtin = std::filesystem::path(ZZ_PLUGIN_SUBDIR);
    for (const std::string& file : files) {
      const bool found =
          std::filesystem::path(file).parent_path().string().find(builtin.string()) != std::string::npos;
      if (found || std::find(told.begin(), told.end(), file) != told.end()) continue;
      if (told.empty()) line(0, "plugins:", "");
      told.push_back(file);
      line(1, "- " + core::to_json(core::Value::text(file).ref()), "");
    }
  }

  bool is_path(std::string_view name) const {
    for (const ResolvedStage* stage : all_stages(chain_.stages)) {
      const zz_param* parameter = find_parameter(*stage->stage, name);
      if (parameter != nullptr && (parameter->flags & ZZ_INPUT_PATH) != 0) return true;
    }
    return false;
  }

  core::Value located(const ContextEntry& entry) const {
    for (const ResolvedStage* stage : all_stages(chain_.stages)) {
      if (!provides_named_keys(*stage->stage)) continue;
      for (const ResolvedSetting& setting : stage->settings) {
        if (!setting.own && entry.key == setting.parameter->name) return located(*stage, setting);
      }
    }
    return is_path(entry.key) ? absolute(entry.value) : entry.value;
  }

  core::Value located(const ResolvedStage& stage, const ResolvedSetting& setting) const {
    if ((setting.parameter->flags & ZZ_INPUT_PATH) != 0) return absolute(setting.value);
    const core::Ref map = setting.value.ref();
    if (core::kind_of(map) != core::Kind::map || !provides_named_keys(*stage.stage)) return setting.value;
    // {name: values} and {"name, name": lists of values}, where a name may be that of an input file.
    std::vector<std::pair<std::string, core::Value>> entries;
    for (std::uint32_t i = 0; i < core::count_of(map); ++i) {
      std::string_view name;
      const core::Ref values = core::part_at(map, i, &name);
      entries.emplace_back(
          name, located_values(core::names_in_key(name), core::held_part(setting.value, values)));
    }
    return core::Value::map(std::move(entries));
  }

  core::Value located_values(const std::vector<std::string>& names, const core::Value& values) const {
    if (names.size() == 1) return is_path(names.front()) ? absolute(values) : values;
    if (core::kind_of(values.ref()) != core::Kind::list) return values;
    std::vector<core::Value> rows;
    for (std::uint32_t i = 0; i < core::count_of(values.ref()); ++i) {
      const core::Ref row = core::part_at(values.ref(), i);
      std::vector<core::Value> parts;
      for (std::uint32_t k = 0; k < core::count_of(row); ++k) {
        core::Value part = core::held_part(values, core::part_at(row, k));
        parts.push_back(k < names.size() && is_path(names[k]) ? absolute(part) : std::move(part));
      }
      rows.push_back(core::Value::list(std::move(parts)));
    }
    return core::Value::list(std::move(rows));
  }

  void write_stages(const std::vector<ResolvedStage>& stages, int depth) {
    for (const ResolvedStage& stage : stages) write_stage(stage, depth);
  }

  void write_stage(const ResolvedStage& stage, int depth) {
    const std::string comment =
        everything() ? core::to_string(stage.mark()) : text_or_empty(stage.stage->summary);
    const auto written = [&](const ResolvedSetting& setting) { return is_written(stage, setting); };
    if (std::none_of(stage.settings.begin(), stage.settings.end(), written)) {
      line(depth, fmt::format("- {}", name_of(stage)), comment);
    } else {
      line(depth, fmt::format("- {}:", name_of(stage)), comment);
    }
    for (const ResolvedSetting& setting : stage.settings) {
      const NestedStages* nested = nested_of(stage, setting);
      if (nested != nullptr && (everything() || setting.own)) {
        line(depth + 3, key(setting.parameter->name) + ":", origin(setting.origin, setting.mark));
        write_stages(nested->stages, depth + 4);
      } else if (written(setting)) {
        line(depth + 3,
             fmt::format("{}: {}", key(setting.parameter->name), yaml_text(located(stage, setting).ref())),
             origin(setting.origin, setting.mark));
      } else if (setting.origin == Origin::fallback && everything()) {
        line(depth + 3,
             fmt::format("# {}: {}", key(setting.parameter->name), yaml_text(setting.value.ref())),
             "default");
      }
    }
  }

  /// Parameters are written under `parameters`. Nulls are not written, nor values that a stage above sets.
  bool is_written(const ResolvedStage& stage, const ResolvedSetting& setting) const {
    if (setting.own) return true;
    if (!everything()) return false;
    if (nested_of(stage, setting) != nullptr) return true;
    if (setting.origin != Origin::fallback || core::kind_of(setting.value.ref()) == core::Kind::null)
      return false;
    const auto above = stages_above(chain_, stage);
    return std::none_of(above.begin(), above.end(),
                        [&](const ResolvedStage* one) { return one->provides(setting.parameter->name); });
  }

  static const NestedStages* nested_of(const ResolvedStage& stage, const ResolvedSetting& setting) {
    for (const NestedStages& nested : stage.nested) {
      if (nested.parameter == setting.parameter) return &nested;
    }
    return nullptr;
  }

  /// The short name if it is unique, else the name in the pipeline.
  static std::string name_of(const ResolvedStage& stage) {
    return stage.entry.name == stage.stage->id ? stage.stage->id : stage.stage->name;
  }

  const ResolvedPipeline& chain_;
  const Detail detail_;
  std::string text_;
};

}  // namespace

std::string normal_form(const PipelineFile& pipeline, const ResolvedPipeline& chain) {
  return NormalForm(chain, Detail::everything).text(pipeline);
}

std::string short_form(const PipelineFile& pipeline, const ResolvedPipeline& chain) {
  return NormalForm(chain, Detail::what_is_written).text(pipeline);
}

}  // namespace zz::host
