#include <fmt/format.h>

#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/plugins/search_path.hpp"

namespace zz::host {
namespace {

void print_used(const PluginFile& file) {
  const zz_plugin& table = *file.plugin->table;
  fmt::print("{} {}  {}  [{}]\n", table.id, table.version, file.file, file.origin);
  for (std::uint32_t i = 0; i < table.n_stages; ++i) fmt::print("    {}\n", table.stages[i]->name);
}

}  // namespace

int plugins_verb(const Options& options) {
  PluginRegistry registry;
  const ExitCode code = load_plugins(options, registry);
  registry.add_search_path(options.plugin_paths);
  if (options.verbose) {
    fmt::print("folders, first to last:\n");
    for (const auto& folder : plugin_folders(options.plugin_paths)) {
      fmt::print("    {}  [{}] {} files\n", folder.path, folder.origin,
                 plugin_files_in(folder.path).size());
    }
    for (const auto& folder : ignored_plugin_folders())
      fmt::print("    not looked at: {}  [{}]: {}\n", folder.path, folder.origin, folder.reason);
  }
  for (const PluginFile& file : registry.files()) {
    if (file.plugin != nullptr) print_used(file);
  }
  int unused = 0;
  for (const PluginFile& file : registry.files()) {
    if (file.plugin != nullptr) continue;
    ++unused;
    if (options.verbose) fmt::print("not used: {}  [{}]: {}\n", file.file, file.origin, file.reason);
  }
  if (unused > 0 && !options.verbose) fmt::print("{} more files are not used; -v says why\n", unused);
  return static_cast<int>(code);
}

}  // namespace zz::host
