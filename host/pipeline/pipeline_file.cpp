#include "host/pipeline/pipeline_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"

namespace zz::host {
namespace {

using core::Diagnostics;
using core::yaml::Node;

const std::array<std::string, 4> known_keys{"version", "plugins", "parameters", "stages"};

/// Keys that belong to the user: anchors, notes.
bool is_private(std::string_view key) { return key.substr(0, 2) == "x-"; }

std::vector<WrittenSetting> read_settings(const Node& map, Origin origin) {
  std::vector<WrittenSetting> settings;
  for (std::size_t i = 0; i < map.entries.size(); ++i) {
    const auto& [name, value] = map.entries[i];
    if (!is_private(name)) settings.push_back({name, map.key_marks[i], value, origin});
  }
  return settings;
}

void read_version(const Node& node, Diagnostics& diagnostics) {
  if (node.as_int() != std::optional<std::int64_t>(1)) {
    diagnostics.error(node.mark, "'version' must be 1, but found " + node.describe(),
                      "this is the version of the form of pipeline files");
  }
}

void read_plugins(const Node& node, PipelineFile& pipeline, Diagnostics& diagnostics,
                  const core::Files& files) {
  if (node.is_null()) return;
  if (!node.is_list()) {
    diagnostics.error(node.mark, "'plugins' must be a list of files, but found " + node.describe());
    return;
  }
  for (const Node& item : node.items) {
    if (item.is_scalar()) {
      pipeline.plugins.push_back({relative_to_file(pipeline.path, item.text, files), item.mark});
    } else {
      diagnostics.error(item.mark, "a plugin must be the name of a file, but found " + item.describe());
    }
  }
}

void read_parameters(const Node& node, PipelineFile& pipeline, Diagnostics& diagnostics) {
  if (node.is_null()) return;
  if (!node.is_map()) {
    diagnostics.error(node.mark,
                      "'parameters' must be a map of names and values, but found " + node.describe());
    return;
  }
  for (WrittenSetting& setting : read_settings(node, Origin::parameters)) {
    const bool path = setting.name.find_first_of(".[") != std::string::npos;
    (path ? pipeline.changes : pipeline.parameters).push_back(std::move(setting));
  }
}

void read_stage(const Node& item, std::vector<StageEntry>& stages, Diagnostics& diagnostics) {
  if (item.is_scalar()) {
    stages.push_back({item.text, item.mark, {}});
    return;
  }
  if (!item.is_map() || item.entries.size() != 1) {
    diagnostics.error(
        item.mark,
        "a stage must be a name, or one name with a map of settings, but found " + item.describe(),
        "write '- SumStage' or '- LomaStage: {loma_lpf_limit: 6}'");
    return;
  }
  const auto& [name, settings] = item.entries.front();
  StageEntry entry{name, item.key_marks.front(), {}};
  if (settings.is_map()) {
    entry.settings = read_settings(settings, Origin::stage);
  } else if (!settings.is_null()) {
    diagnostics.error(settings.mark, "the settings of " + core::shown_text(name) +
                                         " must be a map, but found " + settings.describe());
  }
  stages.push_back(std::move(entry));
}

void set_entry(Node& map, const std::string& key, const WrittenSetting& setting) {
  for (auto& [name, value] : map.entries) {
    if (name != key) continue;
    value = setting.value;
    return;
  }
  map.entries.emplace_back(key, setting.value);
  map.key_marks.push_back(setting.mark);
}

/// Replaces the setting of that name, or, for "map.key", the entry of the map.
void set_in(std::vector<WrittenSetting>& settings, WrittenSetting setting, Diagnostics& diagnostics) {
  const auto dot = setting.name.find('.');
  const std::string name = setting.name.substr(0, dot);
  const auto same = [&](const WrittenSetting& other) { return other.name == name; };
  if (dot != std::string::npos) {
    const auto old = std::find_if(settings.begin(), settings.end(), same);
    if (old != settings.end() && !old->value.is_map() && !old->value.is_null()) {
      diagnostics.error(setting.mark, "'" + name + "' is no map: it is " + old->value.describe());
      return;
    }
    Node map = old != settings.end() ? old->value : Node();
    map.kind = Node::Kind::map;
    set_entry(map, setting.name.substr(dot + 1), setting);
    setting.name = name;
    setting.value = std::move(map);
  }
  settings.erase(std::remove_if(settings.begin(), settings.end(), same), settings.end());
  settings.push_back(std::move(setting));
}

/// True for a path into an object: it begins with a parameter that is no map, as that of a file, or with no
/// parameter and has a name in brackets.
bool is_change(const PipelineFile& pipeline, const std::string& key) {
  const auto end = key.find_first_of(".[");
  if (end == std::string::npos) return false;
  for (const WrittenSetting& parameter : pipeline.parameters) {
    if (parameter.name == key.substr(0, end))
      return !parameter.value.is_map() && !parameter.value.is_null();
  }
  return key.find('[') != std::string::npos;
}

/// Replaces an earlier change of the same part.
void add_change(PipelineFile& pipeline, WrittenSetting change) {
  std::erase_if(pipeline.changes, [&](const WrittenSetting& other) { return other.name == change.name; });
  pipeline.changes.push_back(std::move(change));
}

/// The stage that the key of an assignment is for: the longest name of a stage before a dot; else the text
/// before the last dot, if that is no name of a parameter, which begins with a small letter; else "".
std::string stage_in_front(const PipelineFile& pipeline, const std::string& key) {
  std::string longest;
  for (const StageEntry& entry : pipeline.stages)
    if (entry.name.size() > longest.size() && key.starts_with(entry.name + ".")) longest = entry.name;
  const auto dot = key.rfind('.');
  if (!longest.empty() || dot == std::string::npos) return longest;
  return key.front() >= 'a' && key.front() <= 'z' ? "" : key.substr(0, dot);
}

/// Flow maps with their keys in quotation marks, so that keys may have brackets, as paths do:
/// "{memories[l1].size: [1, 2]}". "": the text has no such keys.
std::string with_quoted_keys(const std::string& text) {
  std::string quoted;
  bool any = false;
  std::vector<char> open;  // "{" and "["
  for (std::size_t i = 0; i < text.size();) {
    const char letter = text[i];
    quoted += letter;
    ++i;
    if (letter == '{' || letter == '[') open.push_back(letter);
    if ((letter == '}' || letter == ']') && !open.empty()) open.pop_back();
    if (open.empty() || open.back() != '{' || (letter != '{' && letter != ',')) continue;
    const std::size_t begin = text.find_first_not_of(" \t\n", i), end = text.find(": ", i);
    if (begin == text.npos || end == text.npos || end < begin) continue;
    const std::string key = text.substr(begin, end - begin);
    if (key.find_first_of("\"'{},") != key.npos || key.find('[') == key.npos) continue;
    quoted += "\"" + key + "\"";
    any = true;
    i = end;
  }
  return any ? quoted : "";
}

/// The value of an assignment: YAML, or plain text where YAML would not read it ("a: b: c").
Node assigned_value(const std::string& text, const std::string& where) {
  Node node;
  node.mark = core::SourceMark{where, 0, 0};
  if (text == "null" || text == "~") return node;
  if (text.empty()) {
    node.kind = Node::Kind::scalar;
    node.quoted = true;
    return node;
  }
  for (const std::string& written : {text, with_quoted_keys(text)}) {
    try {
      Diagnostics ignored;
      if (!written.empty()) return core::yaml::load_text(written, where, ignored);
    } catch (const core::InputError&) {
      continue;  // in the other way, or plain text
    }
  }
  node.kind = Node::Kind::scalar;
  node.text = text;
  return node;
}

}  // namespace

std::vector<StageEntry> read_stages(const Node& node, const std::string& what, Diagnostics& diagnostics) {
  std::vector<StageEntry> stages;
  if (!node.is_list() || node.items.empty()) {
    diagnostics.error(node.mark, what + " must be a list with at least one stage, but found " +
                                     (node.is_list() ? std::string("an empty one") : node.describe()));
    return stages;
  }
  for (const Node& item : node.items) read_stage(item, stages, diagnostics);
  return stages;
}

std::string relative_to_file(const std::string& file, const std::string& written,
                             const core::Files& files) {
  if (files.in_memory(written) != nullptr) return written;
  return (std::filesystem::path(file).parent_path() / written).lexically_normal().string();
}

void locate_paths(Node& node, const std::string& file, const core::Files& files) {
  for (Node& item : node.items) locate_paths(item, file, files);
  if (node.is_scalar() && !node.text.empty()) node.text = relative_to_file(file, node.text, files);
}

namespace {

PipelineFile pipeline_in(const Node& root, const std::string& path, Diagnostics& diagnostics,
                         const core::Files& files) {
  PipelineFile pipeline;
  pipeline.path = path;
  if (!root.is_map()) {
    diagnostics.error(
        root.mark,
        "a pipeline file must be a map with the keys version, parameters and stages, but found " +
            root.describe());
    return pipeline;
  }
  for (std::size_t i = 0; i < root.entries.size(); ++i) {
    const auto& [key, value] = root.entries[i];
    if (key == "version") {
      read_version(value, diagnostics);
    } else if (key == "plugins") {
      read_plugins(value, pipeline, diagnostics, files);
    } else if (key == "parameters") {
      read_parameters(value, pipeline, diagnostics);
    } else if (key == "stages") {
      pipeline.stages = read_stages(value, "'stages'", diagnostics);
    } else if (!is_private(key)) {
      diagnostics.error(root.key_marks[i], "unknown key '" + core::shown_text(key) + "' of a pipeline file",
                        core::suggestion(key, known_keys));
    }
  }
  for (const char* key : {"version", "stages"}) {
    if (root.find(key) == nullptr) {
      diagnostics.error(root.mark, std::string("the key '") + key + "' is missing",
                        std::string_view(key) == "version" ? "write 'version: 1' at the top"
                                                           : "list the stages, outermost first");
    }
  }
  return pipeline;
}

}  // namespace

PipelineFile read_pipeline(const std::string& path, Diagnostics& diagnostics, const core::Files& files) {
  return pipeline_in(core::yaml::load_file(path, diagnostics, files), path, diagnostics, files);
}

PipelineFile read_pipeline_text(const std::string& text, const std::string& path, Diagnostics& diagnostics,
                                const core::Files& files) {
  return pipeline_in(core::yaml::load_text(text, path, diagnostics, files.value_name(path)), path,
                     diagnostics, files);
}

void apply_set(PipelineFile& pipeline, const std::string& assignment, Diagnostics& diagnostics,
               std::string_view given_as) {
  const auto equals = assignment.find('=');
  const std::string where =
      std::string(given_as) +
      (equals == std::string::npos
           ? core::shown_text(assignment)
           : assignment.substr(0, equals) + "=" + core::shown_text(assignment.substr(equals + 1)));
  if (equals == std::string::npos || equals == 0) {
    diagnostics.error({where, 0, 0}, "not of the form key=value");
    return;
  }
  const std::string key = assignment.substr(0, equals);
  // Before the setting is made: g++ 12 destroys its first parts twice where the value throws, as it does
  // when the run is interrupted.
  Node value = assigned_value(assignment.substr(equals + 1), where);
  WrittenSetting setting{key, {where, 0, 0}, std::move(value), Origin::command_line};
  const std::string stage = stage_in_front(pipeline, key);
  if (stage.empty()) {
    if (is_change(pipeline, key))
      add_change(pipeline, std::move(setting));
    else
      set_in(pipeline.parameters, std::move(setting), diagnostics);
    return;
  }
  bool found = false;
  std::vector<std::string> names;
  setting.name = key.substr(stage.size() + 1);
  for (StageEntry& entry : pipeline.stages) {
    names.push_back(entry.name);
    if (entry.name != stage) continue;
    set_in(entry.settings, setting, diagnostics);
    found = true;
  }
  if (!found) {
    diagnostics.error({where, 0, 0}, "the pipeline has no stage '" + core::shown_text(stage) + "'",
                      core::suggestion(stage, names));
  }
}

}  // namespace zz::host
