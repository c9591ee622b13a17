#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/input/yaml/document.hpp"

namespace zz::host {

/// Where a setting was written.
enum class Origin { fallback, parameters, stage, command_line };

/// A setting as written, not yet compared with the settings of stages.
struct WrittenSetting {
  std::string name;
  core::SourceMark mark;  ///< of the name
  core::yaml::Node value;
  Origin origin = Origin::parameters;
};

struct StageEntry {
  std::string name;
  core::SourceMark mark;
  std::vector<WrittenSetting> settings;
};

struct PluginEntry {
  std::string file;  ///< relative to the working directory
  core::SourceMark mark;
};

/// A pipeline file. Its paths have been made relative to the working directory; settings are untouched.
struct PipelineFile {
  std::string path;
  std::vector<PluginEntry> plugins;
  std::vector<WrittenSetting> parameters;
  /// Changed parts of what stages hand down, named by paths: "accelerator.memories[l1].size".
  std::vector<WrittenSetting> changes;
  std::vector<StageEntry> stages;
  /// Names of parameters that a program gave as arguments: a stage must read each of them.
  std::set<std::string> arguments;
};

/// Reads a list of stages in the form of `stages:`. `what` names the list in messages.
std::vector<StageEntry> read_stages(const core::yaml::Node& node, const std::string& what,
                                    core::Diagnostics& diagnostics);

/// Reads a pipeline file, without looking up stages and settings. Problems go to `diagnostics`. Throws
/// core::InputError when the file is not readable as YAML.
PipelineFile read_pipeline(const std::string& path, core::Diagnostics& diagnostics,
                           const core::Files& files = core::Files::on_disk());

/// The same for a text, as if it were in the file `path`, which need not exist.
PipelineFile read_pipeline_text(const std::string& text, const std::string& path,
                                core::Diagnostics& diagnostics,
                                const core::Files& files = core::Files::on_disk());

/// Applies "key=value" of the command line, which replaces the value in the file. The key is a parameter,
/// or "Stage.setting" for the stages of that name. What follows another dot, or a dot after a parameter, is
/// a key of a map ("dimensions.batch"): the map's other entries stay. A path into what a stage hands down
/// ("accelerator.memories[l1].size") becomes a change. The value is YAML.
/// Messages name it after `given_as`.
void apply_set(PipelineFile& pipeline, const std::string& assignment, core::Diagnostics& diagnostics,
               std::string_view given_as = "--set ");

/// `written`, a path in the file `file`, as seen from the working directory. Files in memory keep their
/// names.
std::string relative_to_file(const std::string& file, const std::string& written, const core::Files& files);
/// The same for a path, or a list of paths, in a node of the file.
void locate_paths(core::yaml::Node& node, const std::string& file, const core::Files& files);

}  // namespace zz::host
