#include "host/plugins/stage_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "host/plugins/library_file.hpp"
#include "host/plugins/plugin_library.hpp"
#include "host/plugins/search_path.hpp"
#include "host/values/handles.hpp"

namespace zz::host {
namespace {

constexpr const char* suffix_of_stage_files = ".py";
constexpr const char* plugin_for_stage_files = "zz-python.so";

/// The ability of that plugin's stage, or nullptr.
const zz_stage_files* stage_files_of(const zz_plugin& table) {
  for (std::uint32_t i = 0; i < table.n_stages; ++i) {
    const zz_stage_desc& stage = *table.stages[i];
    if ((stage.flags & ZZ_STAGE_IN_FILE) == 0 || stage.get_extension == nullptr) continue;
    return static_cast<const zz_stage_files*>(stage.get_extension(nullptr, ZZ_STAGE_FILES));
  }
  return nullptr;
}

}  // namespace

bool is_stage_file(const std::string& file) {
  return std::filesystem::path(file).extension() == suffix_of_stage_files;
}

std::string why_no_stage_file(const std::string& file) {
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) return no_such_file(file);
  if (!std::filesystem::is_regular_file(file, unknown)) return "is not a file";
  return ::access(file.c_str(), R_OK) == 0 ? "" : fmt::format("cannot be read: {}", std::strerror(errno));
}

const zz_plugin* load_stage_file(const std::string& file, const zz_host& host, std::string& reason) {
  const auto library = std::filesystem::path(builtin_plugin_folder()) / plugin_for_stage_files;
  const Plugin* const plugin = load_plugin(library.string(), host, reason);
  if (plugin == nullptr) {
    reason = fmt::format("needs the plugin {}, which {}", library.string(), reason);
    return nullptr;
  }
  const zz_stage_files* const files = stage_files_of(*plugin->table);
  zz_error error;
  const zz_plugin* const table =
      files == nullptr ? nullptr : files->load(&host, {file.data(), file.size()}, &error);
  if (table == nullptr) reason = error.message;
  return table;
}

}  // namespace zz::host
