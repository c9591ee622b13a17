#pragma once
#include <string>
#include <vector>

#include "core/diagnostics/diagnostics.hpp"
#include "core/input/yaml/document.hpp"

namespace zz::host {

/// Where a setting was written.
enum class Origin { fallback, parameters, stage, command_line };

/// A setting as written: not yet compared with what any stage declares.
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
  std::vector<StageEntry> stages;
};

/// Reads a list of stages, as it stands under `stages:`. `what` names the list in messages.
std::vector<StageEntry> read_stages(const core::yaml::Node& node, const std::string& what,
                                    core::Diagnostics& diagnostics);

/// Reads the form of the file; everything that is wrong with it goes into `diagnostics`. Throws
/// core::InputError when it cannot be read at all.
PipelineFile read_pipeline(const std::string& path, core::Diagnostics& diagnostics);

/// Adds "key=value" of the command line: key names a parameter, or "Stage.setting" the setting of the
/// stages of that name. The value is YAML. Replaces what the file says.
void apply_set(PipelineFile& pipeline, const std::string& assignment, core::Diagnostics& diagnostics);

/// `written`, a path in the file `file`, as seen from the working directory.
std::string relative_to_file(const std::string& file, const std::string& written);
/// The same for a path, or a list of paths, that was read there.
void locate_paths(core::yaml::Node& node, const std::string& file);

}  // namespace zz::host
