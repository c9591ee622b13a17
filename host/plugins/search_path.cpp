#include "host/plugins/search_path.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace zz::host {
namespace {

namespace fs = std::filesystem;

std::string user_folder() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0') {
    return (fs::path(data) / ZZ_PLUGIN_SUBDIR).string();
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return "";
  return (fs::path(home) / ".local/share" / ZZ_PLUGIN_SUBDIR).string();
}

}  // namespace

std::string builtin_plugin_folder() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (error) return "";
  const fs::path prefix = executable.parent_path().parent_path();
  // A build tree has its libraries in lib, wherever an installation would put them.
  for (const char* libraries : {ZZ_LIBDIR, "lib"}) {
    const fs::path folder = prefix / libraries / ZZ_PLUGIN_SUBDIR;
    if (fs::is_directory(folder, error)) return folder.string();
  }
  return (prefix / ZZ_LIBDIR / ZZ_PLUGIN_SUBDIR).string();
}

std::vector<PluginFolder> plugin_folders(const std::vector<std::string>& from_command_line) {
  std::vector<PluginFolder> folders;
  for (const auto& path : from_command_line) folders.push_back({path, "--plugin-path"});
  if (const char* listed = secure_getenv("ZZ_PLUGIN_PATH"); listed != nullptr) {
    std::istringstream parts{std::string(listed)};
    for (std::string path; std::getline(parts, path, ':');) {
      if (!path.empty()) folders.push_back({path, "ZZ_PLUGIN_PATH"});
    }
  }
  if (auto user = user_folder(); !user.empty()) folders.push_back({std::move(user), "user folder"});
  if (auto own = builtin_plugin_folder(); !own.empty()) folders.push_back({std::move(own), "built in"});
  return folders;
}

std::vector<std::string> plugin_files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (entry->path().extension() == ".so") files.push_back(entry->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace zz::host
