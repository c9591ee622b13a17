#pragma once
#include <string>
#include <vector>

namespace zz::host {

/// A folder in which plugins are looked for, and why: "--plugin-path", "ZZ_PLUGIN_PATH", ...
struct PluginFolder {
  std::string path;
  std::string origin;
};

/// The folders with plugins, first to last: the folders of the command line, ZZ_PLUGIN_PATH, the user's
/// own folder, the one that belongs to the executable. What the environment says counts only in a process
/// without raised privileges, and when it is an absolute path: plugins are never looked for in the working
/// directory.
std::vector<PluginFolder> plugin_folders(const std::vector<std::string>& from_command_line);

/// Who else may put files into a folder or replace them there: "anybody may write there", "it belongs to
/// the user 'games'"; "" when only these may: the user, root, the owner of zz-host, and the groups of
/// these. Plugins in such a folder are not loaded unless they are named one by one.
std::string other_writers(const std::string& folder);

/// A folder that the environment names and that is not looked at.
struct IgnoredFolder {
  std::string path, origin, reason;
};
/// Those that the environment names in a way that does not count, and those of plugin_folders() that
/// others may write.
std::vector<IgnoredFolder> ignored_plugin_folders(const std::vector<std::string>& from_command_line);

/// The folder of the built-in plugins, found from where the executable really is, so that installed
/// trees may be moved.
std::string builtin_plugin_folder();

/// True for the file of a plugin that zz itself brings.
bool is_builtin_plugin(const std::string& file);
/// The paths of built-in plugins that are not there.
std::vector<std::string> missing_builtin_plugins();

/// The plugin files in a folder, sorted by name; nothing when there is no such folder.
std::vector<std::string> plugin_files_in(const std::string& folder);

}  // namespace zz::host
