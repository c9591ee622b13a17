#include "host/plugins/allowed_code.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/input/yaml/document.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "host/plugins/search_path.hpp"

namespace zz::host {
namespace {

namespace fs = std::filesystem;

bool is_below(const fs::path& file, const fs::path& folder) {
  const auto [end, _] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return end == folder.end();
}

}  // namespace

bool AllowedCode::allows(const std::string& file) const {
  if (everything) return true;
  if (file.find('\0') != std::string::npos) return false;  // checked whole, and loaded up to there
  std::error_code unknown;
  const fs::path real = fs::weakly_canonical(file, unknown);
  if (unknown) return false;
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    std::error_code missing;
    const fs::path canonical = fs::canonical(folder, missing);
    return !missing && is_below(fs::absolute(real), canonical);
  });
}

namespace {

/// Never destroyed: threads may start programs until the end.
AllowedCode& allowed_programs() {
  static auto* const allowed = new AllowedCode;
  return *allowed;
}

}  // namespace

void start_programs_only_below(std::vector<std::string> folders, const std::string& hint) {
  allowed_programs() = {false, std::move(folders), hint};
}

void check_may_start(const std::string& program, const std::string& folder) {
  const AllowedCode& allowed = allowed_programs();
  const bool is_path = program.find('/') != std::string::npos;
  const std::string file = folder.empty() ? program : (fs::path(folder) / program).string();
  // Whose PATH it is trusts its folders.
  if (!(is_path ? allowed.allows(file) : allowed.everything))
    throw core::InputError(fmt::format(
        "the program '{}' is not started: it is code that nobody has allowed; {}", program, allowed.hint));
  if (const std::string writers = is_path ? other_writers_of_file(file) : ""; !writers.empty())
    throw core::InputError(
        fmt::format("the program '{}' is not started: {}; change who may write there", program, writers));
}

std::string user_configuration_file() {
  const std::string folder = user_folder("XDG_CONFIG_HOME", ".config", "zz");
  return folder.empty() ? "" : (fs::path(folder) / "config.yaml").string();
}

std::vector<std::string> trusted_folders() {
  const std::string file = user_configuration_file();
  std::error_code none;
  if (file.empty() || !fs::exists(file, none)) return {};
  core::Diagnostics problems;
  if (const std::string writers = other_writers_of_file(file); !writers.empty())
    problems.error({file}, "the configuration is not read: " + writers, "change who may write there");
  problems.throw_if_errors();
  const core::yaml::Node node = core::yaml::load_file(file, problems);
  std::vector<std::string> folders;
  core::yaml::MapReader map(node, "the configuration", problems);
  const core::yaml::Node* const list = map.nullable("trusted_folders");
  if (list != nullptr) core::yaml::read(*list, map.what("trusted_folders"), folders, problems);
  map.finish();
  for (std::string& folder : folders) {
    const char* const home = std::getenv("HOME");
    if (folder.starts_with("~/") && home != nullptr) folder = (fs::path(home) / folder.substr(2)).string();
    if (fs::path(folder).is_absolute()) continue;
    problems.error(list->mark, "the trusted folder '" + folder + "' must be an absolute path",
                   "or begin with ~/");
  }
  problems.throw_if_errors();
  return folders;
}

}  // namespace zz::host
