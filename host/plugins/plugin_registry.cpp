#include "host/plugins/plugin_registry.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <sys/stat.h>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "host/base/log.hpp"
#include "host/base/time_spent.hpp"
#include "host/plugins/crashed_library.hpp"
#include "host/plugins/search_path.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {

std::size_t PluginRegistry::known(Identity& identity, const std::string& file) const {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return files_.size();
  identity.device = status.st_dev;
  identity.number = status.st_ino;
  std::size_t i = 0;
  while (i < files_.size() &&
         (identities_[i].device != identity.device || identities_[i].number != identity.number))
    ++i;
  return i;
}

void PluginRegistry::load(PluginFile& entry, bool named) const {
  if (named) {
    entry.plugin = load_plugin(entry.file, *host_, entry.reason);
    return;
  }
  const LoadingMark mark(entry.file);
  entry.reason = mark.reason();
  if (entry.reason.empty())
    entry.plugin = load_plugin(entry.file, *host_, entry.reason);
  else
    log(LogLevel::warning, fmt::format("the plugin {} [{}] {}", entry.file, entry.origin, entry.reason));
}

std::size_t PluginRegistry::add(const std::string& file, const std::string& origin,
                                const std::string& group) {
  Identity identity{group, 0, 0};
  if (const std::size_t index = known(identity, file); index < files_.size()) return index;
  PluginFile entry{file, origin, nullptr, ""};
  load(entry, group == origin || is_builtin_plugin(file));
  for (std::size_t i = 0; entry.plugin != nullptr && i < files_.size(); ++i) {
    // The first of the same plugin in two groups wins. Two of them in one group are a mistake: naming one
    // of their stages is an error that shows both.
    const bool same = files_[i].plugin != nullptr && identities_[i].group != group &&
                      std::string_view(files_[i].plugin->table->id) == entry.plugin->table->id;
    if (!same) continue;
    entry.reason = "hidden by " + files_[i].file + ", which is the same plugin and comes first";
    entry.plugin = nullptr;
    if (is_builtin_plugin(file)) {
      log(LogLevel::warning, fmt::format("{} [{}] takes the place of the built-in plugin {}",
                                         files_[i].file, files_[i].origin, file));
    }
  }
  files_.push_back(std::move(entry));
  identities_.push_back(std::move(identity));
  return files_.size() - 1;
}

std::string PluginRegistry::add_file(const std::string& file, const std::string& origin) {
  const Charge charge("plugins");
  // Each way of naming files is a group, so that files of the command line hide those of the pipeline.
  PluginFile& entry = files_[add(file, origin, origin)];
  entry.named = true;
  return entry.broken() ? entry.file + ": " + entry.reason : "";
}

std::string PluginRegistry::leave(const std::string& file, const std::string& origin) {
  Identity identity{origin, 0, 0};
  if (known(identity, file) < files_.size()) return "";
  if (const std::string wrong = why_no_plugin(file); !wrong.empty()) return file + ": " + wrong;
  files_.push_back(
      {.file = file, .origin = origin, .reason = "is not allowed", .named = true, .left = true});
  identities_.push_back(std::move(identity));
  return "";
}

void PluginRegistry::add_search_path(const std::vector<std::string>& from_command_line) {
  const Charge charge("plugins");
  for (const auto& folder : plugin_folders(from_command_line)) {
    const std::vector<std::string> files = plugin_files_in(folder.path);
    if (const std::string writers = other_writers(folder.path); !files.empty() && !writers.empty()) {
      log(LogLevel::warning,
          fmt::format("the plugins in {} [{}] are not used: {}; use --plugin for each that "
                      "is wanted, or change who may write there",
                      folder.path, folder.origin, writers));
      continue;
    }
    for (const auto& file : files) add(file, folder.origin, folder.path);
  }
  for (const auto& file : missing_builtin_plugins()) add(file, "built in", builtin_plugin_folder());
}

std::string PluginRegistry::left_files() const {
  std::string all;
  for (const PluginFile& file : files_)
    if (file.left) all += (all.empty() ? "" : " or ") + file.file;
  return all;
}

std::vector<StageSource> PluginRegistry::stages() const {
  std::vector<StageSource> all;
  for (const PluginFile& file : files_) {
    if (file.plugin == nullptr) continue;
    for (std::uint32_t i = 0; i < file.plugin->table->n_stages; ++i)
      all.push_back({file.plugin->table->stages[i], file.plugin});
  }
  std::stable_sort(all.begin(), all.end(), [](const StageSource& a, const StageSource& b) {
    return std::string_view(a.stage->name) < b.stage->name;
  });
  return all;
}

std::vector<StageSource> PluginRegistry::find(const std::string& name) const {
  std::vector<StageSource> found = stages();
  std::erase_if(found, [&](const StageSource& source) { return !goes_by(*source.stage, name); });
  return found;
}

std::vector<std::string> PluginRegistry::all_stage_names() const {
  std::vector<std::string> names;
  for (const StageSource& source : stages()) {
    for (auto& name : names_of(*source.stage)) names.push_back(std::move(name));
  }
  return names;
}

std::string PluginRegistry::nearest(const std::string& name) const {
  const std::vector<std::string> known = all_stage_names();
  const auto without_ending = [](const std::string& given) {
    constexpr std::string_view ending = "Stage";
    const bool ends = given.size() > ending.size() && given.ends_with(ending);
    return ends ? given.substr(0, given.size() - ending.size()) : given;
  };
  std::vector<std::string> short_names;
  for (const std::string& one : known) short_names.push_back(without_ending(one));
  std::string near = core::nearest_name(without_ending(name), short_names);
  // The beginning of a single name is meant more likely than a name that is longer at both ends.
  const std::string beginning = core::lower_case(without_ending(name));
  const auto begins = [&](const std::string& one) { return core::lower_case(one).starts_with(beginning); };
  const auto longer = std::find_if(short_names.begin(), short_names.end(), begins);
  const bool of_same_length = core::lower_case(near).size() == beginning.size();
  if (!of_same_length && longer != short_names.end() && std::none_of(longer + 1, short_names.end(), begins))
    near = *longer;
  if (near.empty()) return core::nearest_name(name, known);
  return known[static_cast<std::size_t>(std::find(short_names.begin(), short_names.end(), near) -
                                        short_names.begin())];
}

std::string PluginRegistry::suggestion(const std::string& name) const {
  if (const std::string near = nearest(name); !near.empty()) return "did you mean '" + near + "'?";
  return "'zz-host stages' lists all";
}

std::string PluginRegistry::missing_builtins() const {
  std::string text;
  for (const PluginFile& file : files_) {
    if (!file.broken() || !is_builtin_plugin(file.file)) continue;
    text +=
        fmt::format("{}the plugin {} was not loaded: {}", text.empty() ? "" : "; ", file.file, file.reason);
  }
  return text;
}

}  // namespace zz::host
