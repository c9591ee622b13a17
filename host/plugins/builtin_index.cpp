#include "host/plugins/builtin_index.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "host/plugins/plugin_library.hpp"
#include "host/plugins/search_path.hpp"
#include "host/plugins/stage_table.hpp"

namespace zz::host {

BuiltinIndex BuiltinIndex::read(const std::string& folder) {
  BuiltinIndex index;
  std::ifstream in(std::filesystem::path(folder) / file_name);
  for (std::string stage, file; in >> stage >> file;) index.entries_.emplace_back(stage, file);
  return index;
}

std::string BuiltinIndex::text_for(const std::string& folder) {
  std::string text;
  for (const auto& file : plugin_files_in(folder)) {
    std::string reason;
    const Plugin* plugin = load_plugin(file, reason);
    if (plugin == nullptr) continue;
    for (std::uint32_t i = 0; i < plugin->table->n_stages; ++i) {
      for (const auto& name : names_of(*plugin->table->stages[i]))
        text += name + " " + plugin->file_name() + "\n";
    }
  }
  return text;
}

std::string BuiltinIndex::file_of(const std::string& stage) const {
  for (const auto& [name, file] : entries_) {
    if (name == stage) return file;
  }
  return "";
}

std::vector<std::string> BuiltinIndex::stages() const {
  std::vector<std::string> names;
  for (const auto& entry : entries_) names.push_back(entry.first);
  return names;
}

bool BuiltinIndex::lists(const std::string& file) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const auto& entry) { return entry.second == file; });
}

bool BuiltinIndex::lists(const std::string& file, const std::string& stage) const {
  return std::find(entries_.begin(), entries_.end(), std::pair(stage, file)) != entries_.end();
}

}  // namespace zz::host
