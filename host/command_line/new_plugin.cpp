#include "host/command_line/new_plugin.hpp"

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace zz::host {
namespace {

namespace fs = std::filesystem;

/// The folder of the template with the files of a language, "" for C++.
std::string folder_of(PluginLanguage language) {
  if (language == PluginLanguage::cpp) return "";
  return language == PluginLanguage::c ? "c" : "rust";
}

/// Files of the template that a plugin in that language lacks.
bool is_left_out(const std::string& file, PluginLanguage language) {
  if (language == PluginLanguage::cpp) return false;
  return file == "my_stage.cpp" || (language == PluginLanguage::rust && file == "my_stage_test.cpp");
}

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
char upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string replaced(std::string text, std::string_view old, std::string_view fresh) {
  for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += fresh.size())
    text.replace(at, old.size(), fresh);
  return text;
}

/// Replaces the names in the file names and texts of the template by the new ones.
std::string renamed(std::string text, const PluginNames& names, PluginLanguage language) {
  if (language == PluginLanguage::c) text = replaced(std::move(text), "my_stage.cpp", "my_stage.c");
  text = replaced(std::move(text), "my_stage", names.file);
  text = replaced(std::move(text), "MyStage", names.stage);
  return replaced(std::move(text), "my_plugin", names.plugin);
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw NewPluginError(path.string() + " cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The folder share/zz of the tree with the executable, which may have been moved.
fs::path installed_data_folder() {
  std::error_code error;
  const auto executable = fs::read_symlink("/proc/self/exe", error);
  return executable.parent_path().parent_path() / ZZ_DATADIR / "zz";
}

/// The files of the template, with their paths in the new folder.
std::vector<std::pair<fs::path, fs::path>> template_files(PluginLanguage language) {
  const fs::path root = installed_data_folder() / "template";
  if (!fs::is_directory(root)) {
    throw NewPluginError(
        fmt::format("the template is not there ({}); it is part of the package for developers (zz-dev)",
                    root.string()));
  }
  const std::string own = folder_of(language);
  std::vector<std::pair<fs::path, fs::path>> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    const fs::path inside = entry.path().lexically_relative(root);
    const std::string first = inside.begin()->string();
    if (first == folder_of(PluginLanguage::c) || first == folder_of(PluginLanguage::rust)) {
      if (first == own) files.emplace_back(entry.path(), inside.lexically_relative(own));
    } else if (!is_left_out(inside.string(), language) &&
               (own.empty() || !fs::exists(root / own / inside))) {
      files.emplace_back(entry.path(), inside);
    }
  }
  return files;
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw NewPluginError(path.string() + " cannot be written");
}

/// A folder beside its final path. It is removed unless it is moved there.
class FolderInTheMaking {
 public:
  explicit FolderInTheMaking(const fs::path& final_path) {
    if (final_path.has_parent_path()) fs::create_directories(final_path.parent_path());
    std::string pattern = final_path.string() + ".XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr)
      throw NewPluginError(fmt::format("{}: {}", final_path.string(), std::strerror(errno)));
    path_ = pattern;
    fs::permissions(path_, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                               fs::perms::others_read | fs::perms::others_exec);
  }
  ~FolderInTheMaking() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  FolderInTheMaking(const FolderInTheMaking&) = delete;
  FolderInTheMaking& operator=(const FolderInTheMaking&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

PluginNames plugin_names(const std::string& given) {
  PluginNames names;
  bool starts_word = true;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char c = given[i];
    const bool letter = std::isalpha(static_cast<unsigned char>(c)) != 0;
    const bool other = std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    if (!(letter || (i > 0 && other)) || static_cast<unsigned char>(c) > 127) {
      throw NewPluginError(
          fmt::format("'{}' cannot name a plugin: letters, digits, '_' and '-', a letter first", given));
    }
    if (c == '_' || c == '-') {
      starts_word = true;
      continue;
    }
    const bool hump = i > 0 && is_upper(c) && !is_upper(given[i - 1]);
    if ((starts_word || hump) && !names.plugin.empty()) names.plugin += '_';
    names.plugin += lower(c);
    names.stage += starts_word || hump ? upper(c) : c;
    starts_word = false;
  }
  if (names.plugin.empty()) throw NewPluginError("a plugin needs a name");
  if (ends_with(names.stage, "Stage") && names.stage != "Stage") {
    names.file = names.plugin;
    names.plugin = names.plugin.substr(0, names.plugin.size() - std::string_view("_stage").size());
  } else {
    names.stage += "Stage";
    names.file = names.plugin + "_stage";
  }
  return names;
}

void write_new_plugin(const PluginNames& names, PluginLanguage language, const std::string& path) {
  fs::path folder = fs::path(path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  if (fs::exists(fs::symlink_status(folder)))
    throw NewPluginError(folder.string() + " is there already, and is left as it is");
  try {
    const auto files = template_files(language);
    const FolderInTheMaking made(folder);
    for (const auto& [source, inside] : files)
      write(made.path() / renamed(inside.string(), names, language),
            renamed(text_of(source), names, language));
    fs::rename(made.path(), folder);
  } catch (const fs::filesystem_error& error) {
    throw NewPluginError(error.what());
  }
}

}  // namespace zz::host
