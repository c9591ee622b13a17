#pragma once
#include <string>
#include <sys/types.h>
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

/// One plugin file.
struct PluginFile {
  std::string file;
  std::string origin;        ///< "--plugin", "built in", ...
  Plugin* plugin = nullptr;  ///< nullptr when it was not loaded or is hidden
  std::string reason;        ///< why it is not used; "" when it is
  bool named = false;        ///< by the user, on the command line or in the pipeline
};

/// All plugins of this run. One that does not load never stands in the way of the others. A built-in plugin
/// of which the index says what it holds is loaded when somebody asks for one of its stages, or for all
/// stages: a run is not made to wait for libraries that it has no use for. [main]
class PluginRegistry {
 public:
  /// Loads one file that the user named; returns "" or what is wrong with it.
  std::string add_file(const std::string& file, const std::string& origin);
  /// Takes in the folders of plugin_folders() and the index of the built-in ones.
  void add_search_path(const std::vector<std::string>& from_command_line);

  /// Every file of the search path, loaded or refused.
  const std::vector<PluginFile>& files() const;
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
  /// A file, and what is known about it before it is loaded.
  struct Place {
    std::string group;  ///< where it came from; equals stand side by side
    std::string name;   ///< the file's, without its folder
    dev_t device = 0;   ///< with the number: the file itself, by whatever path
    ino_t number = 0;
    bool waits = false;  ///< not looked into yet
  };

  /// The file's index in files_; it still waits when it is new.
  std::size_t add(const std::string& file, const std::string& origin, const std::string& group);
  /// Loading changes what is known of a file, not what the registry says: hence const.
  void load(std::size_t index) const;
  void load_all() const;
  /// In no order.
  std::vector<StageSource> loaded_stages() const;
  std::vector<StageSource> find_loaded(const std::string& name) const;

  mutable std::vector<PluginFile> files_;
  mutable std::vector<Place> places_;  ///< one a file
  BuiltinIndex index_;
};

}  // namespace zz::host
