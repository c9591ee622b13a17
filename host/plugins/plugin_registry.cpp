#include "host/plugins/plugin_registry.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>

#include "core/diagnostics/nearest_name.hpp"
#include "host/plugins/search_path.hpp"
#include "host/plugins/stage_table.hpp"

namespace zz::host {

const PluginFile& PluginRegistry::add(const std::string& file, const std::string& origin,
                                      const std::string& group) {
  std::error_code error;
  for (const PluginFile& seen : files_) {
    if (std::filesystem::equivalent(seen.file, file, error) && !error) return seen;
  }
  PluginFile entry{file, origin, nullptr, ""};
  entry.plugin = load_plugin(file, entry.reason);
  for (std::size_t i = 0; entry.plugin != nullptr && i < files_.size(); ++i) {
    // The same plugin in two places of the search path: the first hit wins. Two of them in one place
    // are nobody's intention; naming one of their stages is an error that shows both.
    const bool same = files_[i].plugin != nullptr && groups_[i] != group &&
                      std::string_view(files_[i].plugin->table->id) == entry.plugin->table->id;
    if (!same) continue;
    entry.reason = "hidden by " + files_[i].file + ", which is the same plugin and comes first";
    entry.plugin = nullptr;
  }
  groups_.push_back(group);
  return files_.emplace_back(std::move(entry));
}

std::string PluginRegistry::add_file(const std::string& file, const std::string& origin) {
  // Each way of naming files is a place of its own: what the command line names hides what the pipeline
  // does.
  const PluginFile& entry = add(file, origin, origin);
  const bool hidden = entry.reason.rfind("hidden by", 0) == 0;
  return entry.plugin != nullptr || hidden ? "" : entry.file + ": " + entry.reason;
}

void PluginRegistry::add_folder(const std::string& folder, const std::string& origin) {
  for (const auto& file : plugin_files_in(folder)) add(file, origin, folder);
}

void PluginRegistry::add_search_path(const std::vector<std::string>& from_command_line) {
  for (const auto& folder : plugin_folders(from_command_line)) add_folder(folder.path, folder.origin);
  index_ = BuiltinIndex::read(builtin_plugin_folder());
}

std::vector<StageSource> PluginRegistry::stages() const {
  std::vector<StageSource> all;
  for (const PluginFile& file : files_) {
    if (file.plugin == nullptr) continue;
    for (std::uint32_t i = 0; i < file.plugin->table->n_stages; ++i) {
      all.push_back({file.plugin->table->stages[i], file.plugin});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const StageSource& a, const StageSource& b) {
    return std::string_view(a.stage->name) < b.stage->name;
  });
  return all;
}

std::vector<StageSource> PluginRegistry::find(const std::string& name) const {
  std::vector<StageSource> found;
  for (const StageSource& source : stages()) {
    const auto names = names_of(*source.stage);
    if (std::find(names.begin(), names.end(), name) != names.end()) found.push_back(source);
  }
  return found;
}

std::vector<std::string> PluginRegistry::all_stage_names() const {
  std::vector<std::string> names;
  for (const StageSource& source : stages()) {
    for (auto& name : names_of(*source.stage)) names.push_back(std::move(name));
  }
  for (auto& name : index_.stages()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

std::string PluginRegistry::suggestion(const std::string& name) const {
  if (const std::string near = core::nearest_name(name, all_stage_names()); !near.empty())
    return "did you mean '" + near + "'?";
  std::vector<std::string> names;
  for (const StageSource& source : stages()) names.emplace_back(source.stage->name);
  return core::suggestion(name, names);
}

std::string PluginRegistry::why_missing(const std::string& stage) const {
  const std::string expected = index_.file_of(stage);
  if (expected.empty()) return "";
  for (const PluginFile& file : files_) {
    if (std::filesystem::path(file.file).filename() != expected || file.plugin != nullptr) continue;
    return fmt::format("the plugin file that holds it, {}, {}", file.file, file.reason);
  }
  return fmt::format("the plugin file that holds it, {}, is missing",
                     (std::filesystem::path(builtin_plugin_folder()) / expected).string());
}

}  // namespace zz::host
