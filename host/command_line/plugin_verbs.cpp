#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unistd.h>

#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "host/base/exit_code.hpp"
#include "host/base/standard_output.hpp"
#include "host/boundary/host_table.hpp"
#include "host/command_line/new_plugin.hpp"
#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/plugins/search_path.hpp"
#include "host/report/problems.hpp"
#include "host/report/stage_description.hpp"
#include "host/report/text_table.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

/// Stages and their other names, by name.
std::multimap<std::string, const StageSource*> by_name(const std::vector<StageSource>& stages) {
  std::multimap<std::string, const StageSource*> names;
  for (const StageSource& source : stages) {
    names.emplace(source.stage->name, &source);
    for (const std::string& alias : split_names(source.stage->aliases)) names.emplace(alias, &source);
  }
  return names;
}

void print_table(const std::vector<StageSource>& stages) {
  TextTable table({{"stage"}, {"plugin"}, {"what it does"}});
  for (const auto& [name, source] : by_name(stages)) {
    const bool alias = name != source->stage->name;
    table.add_row({name, source->plugin->file_name(),
                   alias ? fmt::format("another name of {}", source->stage->name)
                         : text_or_empty(source->stage->summary)});
  }
  fmt::print(standard_output(), "{}", table.text());
}

int run_stages(const Options& options) {
  PluginRegistry registry(host_table());
  const ExitCode code = load_plugins(options, registry);
  registry.add_search_path(options.plugin_paths);
  const auto stages = registry.stages();
  if (options.format == "names") {
    for (const auto& [name, source] : by_name(stages)) fmt::print(standard_output(), "{}\n", name);
  } else if (options.format == "json") {
    // A program reads the stages, or the reason why they are incomplete.
    if (code != ExitCode::done) return static_cast<int>(code);
    auto all = nlohmann::ordered_json::array();
    for (const StageSource& source : stages) all.push_back(description_of(source));
    fmt::print(standard_output(), "{}\n", all.dump(2));
  } else {
    print_table(stages);
  }
  return static_cast<int>(code);
}

/// The description of the stage; a list when several plugins have one of the name.
nlohmann::ordered_json found_json(const std::vector<StageSource>& found) {
  if (found.size() == 1) return description_of(found.front());
  auto all = nlohmann::ordered_json::array();
  for (const StageSource& source : found) all.push_back(description_of(source));
  return all;
}

int run_describe(const Options& options) {
  PluginRegistry registry(host_table());
  const ExitCode code = load_plugins(options, registry);
  registry.add_search_path(options.plugin_paths);
  const std::string& name = options.operands.front();
  const auto found = registry.find(name);
  if (found.empty()) {
    const std::string missing = registry.missing_builtins();
    const ExitCode unknown = missing.empty() ? ExitCode::usage : ExitCode::plugin;
    tell_error(fmt::format("unknown stage '{}'", name), unknown,
               missing.empty() ? registry.suggestion(name) : missing);
    return static_cast<int>(unknown);
  }
  if (options.format != "json") {
    for (const StageSource& source : found) fmt::print(standard_output(), "{}", page_of(source));
  } else if (code == ExitCode::done) {
    fmt::print(standard_output(), "{}\n", found_json(found).dump(2));
  }
  return static_cast<int>(code);
}

void print_used(const PluginFile& file) {
  const zz_plugin& table = *file.plugin->table;
  fmt::print(standard_output(), "{} {}  {}  [{}]\n", table.id, table.version, file.file, file.origin);
  for (std::uint32_t i = 0; i < table.n_stages; ++i)
    fmt::print(standard_output(), "    {}\n", table.stages[i]->name);
}

void print_folders(const std::vector<std::string>& plugin_paths) {
  fmt::print(standard_output(), "folders, first to last:\n");
  for (const auto& folder : plugin_folders(plugin_paths)) {
    fmt::print(standard_output(), "    {}  [{}] {} files\n", folder.path, folder.origin,
               plugin_files_in(folder.path).size());
  }
  for (const auto& folder : ignored_plugin_folders(plugin_paths))
    fmt::print(standard_output(), "    not looked at: {}  [{}]: {}\n", folder.path, folder.origin,
               folder.reason);
}

void print_plugins(const PluginRegistry& registry, const Options& options) {
  if (options.verbose) print_folders(options.plugin_paths);
  for (const PluginFile& file : registry.files()) {
    if (file.plugin != nullptr) print_used(file);
  }
  int unused = 0;
  for (const PluginFile& file : registry.files()) {
    if (file.plugin != nullptr) continue;
    ++unused;
    if (options.verbose)
      fmt::print(standard_output(), "not used: {}  [{}]: {}\n", file.file, file.origin, file.reason);
  }
  if (unused > 0 && !options.verbose)
    fmt::print(standard_output(), "{} more files are not used; -v says why\n", unused);
}

/// All that the text says with -v.
nlohmann::ordered_json plugins_json(const PluginRegistry& registry, const Options& options) {
  using Json = nlohmann::ordered_json;
  Json used = Json::array(), unused = Json::array(), folders = Json::array(), ignored = Json::array();
  for (const PluginFile& file : registry.files()) {
    if (file.plugin == nullptr) {
      unused.push_back({{"file", file.file}, {"origin", file.origin}, {"reason", file.reason}});
      continue;
    }
    const zz_plugin& table = *file.plugin->table;
    Json stages = Json::array();
    for (std::uint32_t i = 0; i < table.n_stages; ++i) stages.push_back(table.stages[i]->name);
    used.push_back({{"id", table.id},
                    {"version", table.version},
                    {"file", file.file},
                    {"origin", file.origin},
                    {"stages", std::move(stages)}});
  }
  for (const PluginFolder& folder : plugin_folders(options.plugin_paths)) {
    folders.push_back({{"folder", folder.path},
                       {"origin", folder.origin},
                       {"files", plugin_files_in(folder.path).size()}});
  }
  for (const IgnoredFolder& folder : ignored_plugin_folders(options.plugin_paths))
    ignored.push_back({{"folder", folder.path}, {"origin", folder.origin}, {"reason", folder.reason}});
  return {{"plugins", std::move(used)},
          {"not_used", std::move(unused)},
          {"folders", std::move(folders)},
          {"not_looked_at", std::move(ignored)}};
}

int run_plugins(const Options& options) {
  PluginRegistry registry(host_table());
  const ExitCode code = load_plugins(options, registry);
  registry.add_search_path(options.plugin_paths);
  if (options.format != "json") {
    print_plugins(registry, options);
  } else if (code == ExitCode::done) {
    // A program reads either the plugins or why they are not complete.
    fmt::print(standard_output(), "{}\n", core::json_text(plugins_json(registry, options), {.indent = 2}));
  }
  return static_cast<int>(code);
}

/// The checker is another program, beside this one: only this verb needs it, and it loads plugins in child
/// processes.
int run_check_plugin(const Options& options) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "zz-check-plugin";
  std::vector<std::string> arguments = options.arguments;
  std::vector<char*> pointers{const_cast<char*>(program.c_str())};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  give_standard_output_back();
  ::execv(program.c_str(), pointers.data());
  throw std::runtime_error(fmt::format("{} cannot be started: {}", program.string(), std::strerror(errno)));
}

struct NewPluginOptions {
  std::string folder, language = "c++";
};

PluginLanguage language_of(const std::string& text) {
  if (text == "c++" || text == "cpp") return PluginLanguage::cpp;
  if (text == "c") return PluginLanguage::c;
  if (text == "rust") return PluginLanguage::rust;
  throw UsageError("--language must be c++ (or cpp), c or rust, but found '" + text + "'");
}

/// A name of a stage as readers compare it: without capital letters, and without "stage" at its end.
std::string compared(const std::string& name) {
  constexpr std::string_view ending = "stage";
  std::string letters = core::lower_case(name);
  while (letters.size() > ending.size() && letters.ends_with(ending))
    letters.resize(letters.size() - ending.size());
  return letters;
}

/// A stage with the name of a built-in one is hidden by it, unless its library is named.
void refuse_known(const Options& options, const std::string& stage) {
  PluginRegistry registry(host_table());
  load_plugins(options, registry);
  registry.add_search_path(options.plugin_paths);
  for (const StageSource& source : registry.stages())
    for (const std::string& name : names_of(*source.stage))
      if (compared(name) == compared(stage))
        throw NewPluginError(fmt::format("{} has a stage {} already; give the plugin another name",
                                         source.plugin->table->id, name));
}

int run_new_plugin(const Options& options) {
  const auto& own = options.own<NewPluginOptions>();
  const PluginLanguage language = language_of(own.language);
  try {
    const PluginNames names = plugin_names(options.operands.front());
    refuse_known(options, names.stage);
    const std::string folder = own.folder.empty() ? names.plugin : own.folder;
    write_new_plugin(names, language, folder);
    if (options.format == "json")
      fmt::print(standard_output(), "{}\n",
                 core::json_text(nlohmann::ordered_json{{"folder", folder},
                                                        {"plugin", names.plugin},
                                                        {"stage", names.stage},
                                                        {"language", own.language}},
                                 {.indent = 2}));
    else
      fmt::print(standard_output(),
                 "{}: a plugin with the stage {}; README.md says how to build, test and use it\n", folder,
                 names.stage);
  } catch (const NewPluginError& error) {
    throw UsageError(error.what());
  }
  return static_cast<int>(ExitCode::done);
}

void declare_check_plugin(OptionList& list, Options& given) {
  list.add("set", "KEY=VALUE", given.set,
           "run stages with this setting, context key, or STAGE.SETTING; repeatable", settings());
  list.add("input", "FILE", given.inputs,
           "a file that a stage reads, or SETTING=FILE: run stages over damaged copies too; repeatable",
           files());
}

void declare_new_plugin(OptionList& list, Options& given) {
  auto& own = given.own<NewPluginOptions>();
  list.add("folder", "DIR", own.folder, "where to; default: ./NAME", folders());
  list.add("language", "NAME", own.language, "c++ (or cpp), c or rust", words({"c++", "c", "rust"}));
}

}  // namespace

const Verb stages_verb("stages", "", "list the stages of all plugins", "table|json|names", 0, 0,
                       run_stages);

const Verb describe_verb("describe", "STAGE", "describe a stage: settings, context keys, documentation",
                         "md|json", 1, 1, run_describe, nullptr, nullptr,
                         [] { return Candidates{Completes::stages}; });

const Verb plugins_verb("plugins", "",
                        "list the plugin files; with -v also those that are not used, and why", "text|json",
                        0, 0, run_plugins);

const Verb check_plugin_verb("check-plugin", "FILE...",
                             "check plugin files against the rules of the stage ABI", "text|json", 1,
                             INT_MAX, run_check_plugin, declare_check_plugin, nullptr,
                             [] { return files({"so"}); });

const Verb new_plugin_verb("new-plugin", "NAME",
                           "write a plugin to start from: a stage with its tests and build files",
                           "text|json", 1, 1, run_new_plugin, declare_new_plugin);

}  // namespace zz::host
