#pragma once
#include <string>
#include <vector>

#include "host/plugins/builtin_index.hpp"
#include "host/plugins/plugin_library.hpp"
#include "zz/stage_abi.h"

namespace zz::host {

/// A stage and the plugin that brings it.
struct StageSource {
  const zz_stage_desc* stage = nullptr;
  Plugin* plugin = nullptr;
};

/// One file that was looked at.
struct PluginFile {
  std::string file;
  std::string origin;        ///< "--plugin", "built in", ...
  Plugin* plugin = nullptr;  ///< nullptr when it was not loaded or is hidden
  std::string reason;        ///< why it is not used; "" when it is
};

/// All plugins of this run. One that does not load never stands in the way of the others. [main]
class PluginRegistry {
 public:
  /// Loads one file that the user named; returns "" or what is wrong with it.
  std::string add_file(const std::string& file, const std::string& origin);
  /// Loads every plugin of a folder.
  void add_folder(const std::string& folder, const std::string& origin);
  /// Loads the folders of plugin_folders() and reads the index of the built-in ones.
  void add_search_path(const std::vector<std::string>& from_command_line);

  const std::vector<PluginFile>& files() const { return files_; }
  const BuiltinIndex& builtin_index() const { return index_; }
  /// Every stage, by name.
  std::vector<StageSource> stages() const;
  /// The stages that go by that name or id; more than one is a conflict.
  std::vector<StageSource> find(const std::string& name) const;
  /// Short names, ids and aliases.
  std::vector<std::string> all_stage_names() const;
  /// For a name that no stage has: the nearest of all names, else the stages that there are.
  std::string suggestion(const std::string& name) const;
  /// Why a stage that a built-in plugin should bring is not there: names the file. "" when no built-in
  /// plugin is known to bring it.
  std::string why_missing(const std::string& stage) const;

 private:
  const PluginFile& add(const std::string& file, const std::string& origin, const std::string& group);

  std::vector<PluginFile> files_;
  std::vector<std::string> groups_;  ///< of each file: where it came from; equals stand side by side
  BuiltinIndex index_;
};

}  // namespace zz::host
