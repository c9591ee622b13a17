#include "host/plugins/search_path.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

namespace fs = std::filesystem;

/// In a process with raised privileges, the environment comes from another user.
std::string folder_in(const char* variable) {
  const char* value = secure_getenv(variable);
  return value != nullptr ? value : "";
}

/// A relative path would depend on the working directory, in which plugins are never looked for.
bool is_absolute(const std::string& folder) { return fs::path(folder).is_absolute(); }

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// The file with this code: libzz-host.
std::string own_library() {
  Dl_info info{};
  const bool found = ::dladdr(reinterpret_cast<const void*>(&own_library), &info) != 0;
  return found && info.dli_fname != nullptr ? info.dli_fname : "";
}

std::string find_builtin_plugin_folder() {
  std::error_code error;
  const fs::path library = fs::canonical(own_library(), error);
  return error ? "" : (library.parent_path() / ZZ_PLUGIN_SUBDIR).string();
}

std::string name_of_user(uid_t number) {
  const passwd* entry = ::getpwuid(number);
  return entry != nullptr ? entry->pw_name : std::to_string(number);
}

std::string name_of_group(gid_t number) {
  const group* entry = ::getgrgid(number);
  return entry != nullptr ? entry->gr_name : std::to_string(number);
}

}  // namespace

std::string user_folder(const char* variable, const char* below_home, const char* name) {
  if (const std::string folder = folder_in(variable); is_absolute(folder))
    return (fs::path(folder) / name).string();
  const std::string home = folder_in("HOME");
  return is_absolute(home) ? (fs::path(home) / below_home / name).string() : "";
}

std::string builtin_plugin_folder() {
  static const std::string folder = find_builtin_plugin_folder();
  return folder;
}

bool is_builtin_plugin(const std::string& file) {
  const fs::path path = file;
  return path.parent_path() == builtin_plugin_folder() &&
         names_hold(ZZ_BUILTIN_PLUGINS, path.stem().string());
}

std::vector<std::string> missing_builtin_plugins() {
  std::vector<std::string> missing;
  for (const std::string& name : split_names(ZZ_BUILTIN_PLUGINS)) {
    const fs::path file = fs::path(builtin_plugin_folder()) / (name + ".so");
    std::error_code error;
    if (!fs::exists(file, error)) missing.push_back(file.string());
  }
  return missing;
}

std::vector<PluginFolder> plugin_folders(const std::vector<std::string>& from_command_line) {
  std::vector<PluginFolder> folders;
  for (const auto& path : from_command_line) folders.push_back({path, "--plugin-path"});
  for (auto& path : parts_of(folder_in("ZZ_PLUGIN_PATH"))) {
    if (is_absolute(path)) folders.push_back({std::move(path), "ZZ_PLUGIN_PATH"});
  }
  if (auto user = user_folder("XDG_DATA_HOME", ".local/share", ZZ_PLUGIN_SUBDIR); !user.empty())
    folders.push_back({std::move(user), "user folder"});
  if (auto own = builtin_plugin_folder(); !own.empty()) folders.push_back({std::move(own), "built in"});
  return folders;
}

std::string other_writers(const std::string& folder) {
  struct stat found {
  }, program{};
  if (::stat(folder.c_str(), &found) != 0) return "";
  // Whoever owns the host could change that instead.
  static_cast<void>(::stat(own_library().c_str(), &program));
  const auto any_of = [](auto number, auto own, auto of_program) {
    return number == 0 || number == own || number == of_program;
  };
  if ((found.st_mode & S_IWOTH) != 0) return "anybody may write there";
  if (!any_of(found.st_uid, ::geteuid(), program.st_uid))
    return fmt::format("it belongs to the user '{}'", name_of_user(found.st_uid));
  if ((found.st_mode & S_IWGRP) != 0 && !any_of(found.st_gid, ::getegid(), program.st_gid))
    return fmt::format("the group '{}' may write there", name_of_group(found.st_gid));
  return "";
}

std::string other_writers_of_file(const std::string& file) {
  std::error_code unknown;
  if (!fs::exists(file, unknown)) return "";
  const fs::path written = fs::absolute(file, unknown), real = fs::canonical(file, unknown);
  for (const fs::path& place : {real, real.parent_path(), written.parent_path()}) {
    if (const std::string writers = other_writers(place.string()); !writers.empty())
      return fmt::format("others could change it ({}: {})", place.string(), writers);
  }
  return "";
}

std::vector<IgnoredFolder> ignored_plugin_folders(const std::vector<std::string>& from_command_line) {
  std::vector<IgnoredFolder> ignored;
  const auto look_at = [&](const char* variable, bool list) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') return;
    if (secure_getenv(variable) == nullptr) {
      ignored.push_back({value, variable, "the process has raised privileges"});
      return;
    }
    for (const auto& path : list ? parts_of(value) : std::vector<std::string>{value}) {
      if (!is_absolute(path)) ignored.push_back({path, variable, "the path is not absolute"});
    }
  };
  look_at("ZZ_PLUGIN_PATH", true);
  look_at("XDG_DATA_HOME", false);
  for (const PluginFolder& folder : plugin_folders(from_command_line)) {
    if (std::string writers = other_writers(folder.path); !writers.empty())
      ignored.push_back({folder.path, folder.origin, std::move(writers)});
  }
  return ignored;
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
