#pragma once
#include <string>
#include <sys/types.h>
#include <vector>

#include "host/plugins/plugin_library.hpp"
#include "zz/stage_abi.h"

namespace zz::host {

/// A stage and its plugin.
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
  bool left = false;         ///< not loaded, because nobody has allowed its code

  /// True when it does not load. A file that another one hides does.
  bool broken() const { return plugin == nullptr && !left && reason.rfind("hidden by", 0) != 0; }
};

/// All plugins of this run. A plugin that does not load does not affect the others. [main]
class PluginRegistry {
 public:
  /// Plugins and their stages get the table `host`, which lives as long as the process.
  explicit PluginRegistry(const zz_host& host) : host_(&host) {}

  const zz_host& host() const { return *host_; }
  /// Loads one file that the user named; returns "" or what is wrong with it.
  std::string add_file(const std::string& file, const std::string& origin);
  /// Looks at one file of a pipeline without loading it; returns "" or why it cannot be a plugin. A file
  /// that is loaded already stays so.
  std::string leave(const std::string& file, const std::string& origin);
  /// Loads the files in the folders of plugin_folders().
  void add_search_path(const std::vector<std::string>& from_command_line);

  /// "a.so" or "a.so or b.so": the files that leave() has left; "" when there are none.
  std::string left_files() const;

  /// Every file, loaded or refused.
  const std::vector<PluginFile>& files() const { return files_; }
  /// Every stage, by name.
  std::vector<StageSource> stages() const;
  /// The stages with that name, id or alias. More than one is a conflict.
  std::vector<StageSource> find(const std::string& name) const;
  /// Short names, ids and aliases.
  std::vector<std::string> all_stage_names() const;
  /// The name nearest to an unknown one; the ending "Stage" may be left out. "" when none is near.
  std::string nearest(const std::string& name) const;
  /// The hint for an unknown name: the nearest name, else the command that lists all.
  std::string suggestion(const std::string& name) const;
  /// The built-in plugins that are missing or do not load, with the reasons, for messages about an unknown
  /// stage. "" when all are loaded.
  std::string missing_builtins() const;

 private:
  /// The identity of a file.
  struct Identity {
    std::string group;  ///< where it came from; files of one group do not hide each other
    dev_t device = 0;   ///< with the number, identifies the file under any path
    ino_t number = 0;
  };

  /// The index in files_ of a file that is known, by whatever path; their number when it is not.
  std::size_t known(Identity& identity, const std::string& file) const;
  /// Loads the file. One that nobody named, of a plugin folder, is passed over where it ended the program
  /// that loaded it last.
  void load(PluginFile& entry, bool named) const;
  /// Loads the file unless it is known by another path; returns its index in files_.
  std::size_t add(const std::string& file, const std::string& origin, const std::string& group);

  const zz_host* host_;
  std::vector<PluginFile> files_;
  std::vector<Identity> identities_;  ///< one a file
};

}  // namespace zz::host
