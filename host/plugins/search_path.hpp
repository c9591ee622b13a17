#pragma once
#include <string>
#include <vector>

namespace zz::host {

/// A folder with plugins, and who named it: "--plugin-path", "ZZ_PLUGIN_PATH", ...
struct PluginFolder {
  std::string path;
  std::string origin;
};

/// The folders with plugins in the order of search: those of the command line, ZZ_PLUGIN_PATH, the user's
/// folder, and that beside libzz-host. Paths of the environment must be absolute, so that plugins never
/// come from the working directory; a process with raised privileges ignores them.
std::vector<PluginFolder> plugin_folders(const std::vector<std::string>& from_command_line);

/// Other users who may create or replace files in a folder: "anybody may write there", "it belongs to the
/// user 'games'". "" when only these may: the user, root, the owner of libzz-host, and the groups of these.
/// Plugins in a folder of others only load when the user names them one by one.
std::string other_writers(const std::string& folder);
/// The same for a file that is named one by one: who may change it, or put another one in its place, there
/// and where links lead. "" also when there is no such file.
std::string other_writers_of_file(const std::string& file);

/// The folder `name` of the user: in the folder that the variable names ("XDG_DATA_HOME"), else in that one
/// of the home (".local/share"). "" when neither is an absolute path, or when the process has raised
/// privileges.
std::string user_folder(const char* variable, const char* below_home, const char* name);

/// A folder that is not searched, and why.
struct IgnoredFolder {
  std::string path, origin, reason;
};
/// The folders of the environment that are not accepted, and the folders of plugin_folders() in which
/// others may write.
std::vector<IgnoredFolder> ignored_plugin_folders(const std::vector<std::string>& from_command_line);

/// The folder of the built-in plugins. It follows from the folder of libzz-host, so that an installed
/// tree may be moved.
std::string builtin_plugin_folder();

/// True for the file of a built-in plugin.
bool is_builtin_plugin(const std::string& file);
/// The paths of missing built-in plugins.
std::vector<std::string> missing_builtin_plugins();

/// The plugin files in a folder, sorted by name; nothing when there is no such folder.
std::vector<std::string> plugin_files_in(const std::string& folder);

}  // namespace zz::host
