#include "host/plugins/plugin_registry.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <sys/stat.h>

#include "core/diagnostics/nearest_name.hpp"
#include "host/plugins/search_path.hpp"
#include "host/plugins/stage_table.hpp"
#include "host/services/time_spent.hpp"

namespace zz::host {
namespace {

std::string file_name_of(const PluginFile& file) {
  return std::filesystem::path(file.file).filename().string();
}

void sort_by_name(std::vector<StageSource>& sources) {
  std::stable_sort(sources.begin(), sources.end(), [](const StageSource& a, const StageSource& b) {
    return std::string_view(a.stage->name) < b.stage->name;
  });
}

}  // namespace

std::size_t PluginRegistry::add(const std::string& file, const std::string& origin,
                                const std::string& group) {
  Place place{group, "", 0, 0, true};
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0) {
    place.device = status.st_dev;
    place.number = status.st_ino;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].device == place.device && places_[i].number == place.number) return i;
    }
  }
  files_.push_back({file, origin, nullptr, ""});
  place.name = file_name_of(files_.back());
  places_.push_back(std::move(place));
  return files_.size() - 1;
}

void PluginRegistry::load(std::size_t index) const {
  if (!places_[index].waits) return;
  places_[index].waits = false;
  const Charge charge("plugins");
  PluginFile& entry = files_[index];
  entry.plugin = load_plugin(entry.file, entry.reason);
  for (std::size_t i = 0; entry.plugin != nullptr && i < index; ++i) {
    // The same plugin in two places of the search path: the first hit wins. Two of them in one place
    // are nobody's intention; naming one of their stages is an error that shows both.
    const bool same = files_[i].plugin != nullptr && places_[i].group != places_[index].group &&
                      std::string_view(files_[i].plugin->table->id) == entry.plugin->table->id;
    if (!same) continue;
    entry.reason = "hidden by " + files_[i].file + ", which is the same plugin and comes first";
    entry.plugin = nullptr;
  }
}

void PluginRegistry::load_all() const {
  for (std::size_t i = 0; i < files_.size(); ++i) load(i);
}

std::string PluginRegistry::add_file(const std::string& file, const std::string& origin) {
  // Each way of naming files is a place of its own: what the command line names hides what the pipeline
  // does.
  const std::size_t index = add(file, origin, origin);
  files_[index].named = true;
  load(index);
  const PluginFile& entry = files_[index];
  const bool hidden = entry.reason.rfind("hidden by", 0) == 0;
  return entry.plugin != nullptr || hidden ? "" : entry.file + ": " + entry.reason;
}

void PluginRegistry::add_search_path(const std::vector<std::string>& from_command_line) {
  const Charge charge("plugins");
  const std::string builtin = builtin_plugin_folder();
  index_ = BuiltinIndex::read(builtin);
  for (const auto& folder : plugin_folders(from_command_line)) {
    for (const auto& file : plugin_files_in(folder.path)) {
      const std::size_t index = add(file, folder.origin, folder.path);
      if (folder.path != builtin || !index_.lists(places_[index].name)) load(index);
    }
  }
}

const std::vector<PluginFile>& PluginRegistry::files() const {
  load_all();
  return files_;
}

std::vector<StageSource> PluginRegistry::loaded_stages() const {
  std::vector<StageSource> all;
  for (const PluginFile& file : files_) {
    if (file.plugin == nullptr) continue;
    for (std::uint32_t i = 0; i < file.plugin->table->n_stages; ++i) {
      all.push_back({file.plugin->table->stages[i], file.plugin});
    }
  }
  return all;
}

std::vector<StageSource> PluginRegistry::stages() const {
  load_all();
  std::vector<StageSource> all = loaded_stages();
  sort_by_name(all);
  return all;
}

std::vector<StageSource> PluginRegistry::find_loaded(const std::string& name) const {
  std::vector<StageSource> found;
  for (const StageSource& source : loaded_stages()) {
    if (goes_by(*source.stage, name)) found.push_back(source);
  }
  sort_by_name(found);
  return found;
}

std::vector<StageSource> PluginRegistry::find(const std::string& name) const {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (places_[i].waits && index_.lists(places_[i].name, name)) load(i);
  }
  std::vector<StageSource> found = find_loaded(name);
  if (!found.empty()) return found;
  // The index may be older than the plugins.
  load_all();
  return find_loaded(name);
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
  load_all();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (places_[i].name != expected || files_[i].plugin != nullptr) continue;
    return fmt::format("the plugin file that holds it, {}, {}", files_[i].file, files_[i].reason);
  }
  return fmt::format("the plugin file that holds it, {}, is missing",
                     (std::filesystem::path(builtin_plugin_folder()) / expected).string());
}

}  // namespace zz::host
