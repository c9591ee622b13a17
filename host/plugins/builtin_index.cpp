#include "host/plugins/builtin_index.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "core/files/whole_file.hpp"
#include "host/plugins/plugin_library.hpp"
#include "host/plugins/search_path.hpp"
#include "host/plugins/stage_table.hpp"

namespace zz::host {

BuiltinIndex BuiltinIndex::read(const std::string& folder) {
  BuiltinIndex index;
  if (folder.empty()) return index;
  std::string text;
  try {
    text = core::read_whole_file(folder + "/" + file_name);
  } catch (const std::system_error&) {
    return index;
  }
  // Each line is a stage, a blank and a file; one that is cut off says nothing.
  std::string_view rest = text;
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) continue;
    index.entries_.emplace_back(line.substr(0, blank), line.substr(blank + 1));
  }
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
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const auto& entry) { return entry.first == stage && entry.second == file; });
}

}  // namespace zz::host
