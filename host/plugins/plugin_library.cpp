#include "host/plugins/plugin_library.hpp"

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <deque>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/last_words.hpp"
#include "host/base/log.hpp"
#include "host/base/process_guard.hpp"
#include "host/plugins/file_state.hpp"
#include "host/plugins/library_file.hpp"
#include "host/plugins/released_abi.hpp"
#include "host/plugins/stage_file.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

std::string check_version(const zz_plugin& table, const zz_host& host) {
  if (!loads(table.abi_major, table.abi_minor)) {
    const bool newer = table.abi_major == ZZ_ABI_MAJOR && table.abi_minor > ZZ_ABI_MINOR;
    return fmt::format(
        "needs stage ABI {}.{}, this zz-host ({}) offers {}.{} (rule L2): {}", table.abi_major,
        table.abi_minor, host.version, ZZ_ABI_MAJOR, ZZ_ABI_MINOR,
        newer ? "update zz, or build it against this version" : "rebuild it against this version of zz");
  }
  if (table.size < released_plugin_size) {
    return fmt::format("its table has {} bytes where {} are needed (rule T1)", table.size,
                       released_plugin_size);
  }
  if (table.build != nullptr && std::string_view(table.build) != host.build) {
    return fmt::format(
        "belongs to another build of zz ({}; this is {}; rule L8): build or install both together",
        table.build, host.build);
  }
  return "";
}

std::string check_parameters(const zz_stage_desc& stage) {
  if (stage.n_params > 0 && stage.params == nullptr) return "announces settings without a table of them";
  for (const zz_param& parameter : parameters_of(stage)) {
    if (parameter.name == nullptr || *parameter.name == '\0') return "has a setting without a name";
    if (parameter.kind < ZZ_NULL || parameter.kind > ZZ_MAP) {
      return fmt::format("has the setting '{}' of a kind that settings cannot have ({})", parameter.name,
                         parameter.kind);
    }
  }
  return "";
}

std::string check_ports(const zz_stage_desc& stage) {
  if ((stage.n_consumes > 0 && stage.consumes == nullptr) ||
      (stage.n_provides > 0 && stage.provides == nullptr) ||
      (stage.n_writes > 0 && stage.writes == nullptr)) {
    return "announces context keys or metrics without a table of them";
  }
  for (const auto ports : {consumed_by(stage), provided_by(stage)}) {
    for (const zz_port& port : ports) {
      if (port.key == nullptr || *port.key == '\0') return "has a context key without a name";
    }
  }
  for (const char* metric : std::span(stage.writes, stage.n_writes)) {
    if (metric == nullptr) return "writes a metric without a name";
  }
  for (const zz_metric& metric : metrics_of(stage)) {
    if (metric.name == nullptr || *metric.name == '\0') return "describes a metric without a name";
  }
  return "";
}

std::string check_stage(const zz_stage_desc& stage) {
  if (stage.size < released_stage_size) return "has a table that is too short (rule T1)";
  if (stage.id == nullptr || stage.name == nullptr || *stage.name == '\0') return "has no id or no name";
  if (stage.create == nullptr || stage.destroy == nullptr || stage.open == nullptr) {
    return "lacks one of the functions create, destroy and open";
  }
  const std::string wrong = check_parameters(stage);
  return wrong.empty() ? check_ports(stage) : wrong;
}

/// Ids in `org.zz.` say that a stage is one of zz, and so must its plugin be, which names its build.
std::string check_ids(const zz_plugin& table) {
  if (table.build != nullptr) return "";
  const auto wrong = [](const char* what, std::string_view id) {
    if (!id.starts_with("org.zz.")) return std::string();
    return fmt::format(
        "{} the id '{}', and ids in 'org.zz.' are for plugins of zz itself (rule L10): choose one in a "
        "domain of your own, as 'org.example.name'",
        what, id);
  };
  std::string text = wrong("has", table.id);
  for (std::uint32_t i = 0; text.empty() && i < table.n_stages; ++i)
    text = wrong("has a stage with", table.stages[i]->id);
  return text;
}

std::string check_table(const zz_plugin& table, const zz_host& host) {
  if (const std::string wrong = check_version(table, host); !wrong.empty()) return wrong;
  if (table.id == nullptr || table.version == nullptr) return "its table has no id or no version";
  if (table.n_stages > 0 && table.stages == nullptr) return "its table announces stages and holds none";
  for (std::uint32_t i = 0; i < table.n_stages; ++i) {
    const zz_stage_desc* stage = table.stages[i];
    if (stage == nullptr) return fmt::format("its stage {} of {} is NULL", i + 1, table.n_stages);
    if (const std::string wrong = check_stage(*stage); !wrong.empty()) {
      return fmt::format("its stage {} ('{}') {}", i + 1, text_or_empty(stage->name), wrong);
    }
  }
  return check_ids(table);
}

/// Never destroyed, so that no library is unloaded while a thread or a static object still uses it.
struct Loaded {
  std::deque<boost::dll::shared_library> libraries;
  std::deque<std::pair<FileState, Plugin>> plugins;
  std::map<std::string, std::size_t> times;  ///< that a path was loaded, refused plugins included
};
Loaded& loaded() {
  static auto* const all = new Loaded;
  return *all;
}

/// Loads the library. The linker knows what it has loaded by the path: another build needs a path of its
/// own that leads there, as "/folder/./plugin.so". Throws where none of some such paths leads to it, as on
/// file systems that give a new file the number of an old one.
const zz_plugin& loaded_table(const std::filesystem::path& file, const FileState& state) {
  std::string folder = file.parent_path().string();
  for (std::size_t i = loaded().times[file.string()]++; i > 0; --i) folder += "/.";
  constexpr int most_tries = 16;
  for (int tries = 0; tries < most_tries; ++tries, folder += "/.") {
    boost::dll::shared_library library(std::filesystem::path(folder) / file.filename(),
                                       boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    auto& kept = loaded().libraries.emplace_back(std::move(library));
    const zz_plugin& table = kept.get<const zz_plugin>(ZZ_PLUGIN_SYMBOL);
    const bool earlier =
        std::any_of(loaded().plugins.begin(), loaded().plugins.end(), [&](const auto& known) {
          return known.second.table == &table && !known.first.is_same_file(state);
        });
    if (!earlier) return table;
  }
  throw std::runtime_error(
      "this process has another build of it loaded, and the system gives that one again: end the process");
}

}  // namespace

std::string linker_message(std::string_view text) {
  constexpr std::string_view opening = "dlerror system message: ";
  const auto start = text.find(opening);
  if (start == std::string_view::npos) return std::string(text);
  text.remove_prefix(start + opening.size());
  return std::string(text.substr(0, text.rfind(')')));
}

std::string Plugin::file_name() const { return std::filesystem::path(file).filename().string(); }

std::string why_no_plugin(const std::string& file) {
  if (is_stage_file(file)) return why_no_stage_file(file);
  if (std::string wrong = why_no_library(file); !wrong.empty()) return wrong;
  const std::vector<std::string> symbols = library_symbols(file).exported;
  if (std::find(symbols.begin(), symbols.end(), ZZ_PLUGIN_SYMBOL) != symbols.end()) return "";
  return fmt::format("is not a plugin for this version of zz: it does not export {} (rule L1)",
                     ZZ_PLUGIN_SYMBOL);
}

Plugin* load_plugin(const std::string& file, const zz_host& host, std::string& reason) {
  const Breadcrumb crumb("loading the plugin " + file);
  guard_process();
  try {
    const FileState state = state_of(file);
    for (auto& [known, plugin] : loaded().plugins)
      if (known == state) return &plugin;
    if (is_stage_file(file)) {
      const zz_plugin* const table = load_stage_file(file, host, reason);
      if (table != nullptr) reason = check_table(*table, host);
      if (table == nullptr || !reason.empty()) return nullptr;
      return &loaded().plugins.emplace_back(state, Plugin{file, table, &host, false}).second;
    }
    reason = why_no_plugin(file);
    if (!reason.empty()) return nullptr;
    bool built_again = false;
    for (const auto& [known, plugin] : loaded().plugins) {
      built_again = built_again || known.path == state.path;
      if (!known.is_written_over_by(state)) continue;
      reason =
          "was written over while this process has it loaded, and would be loaded as it was: end the "
          "process, "
          "and let a build remove the old file before it writes the new one";
      return nullptr;
    }
    const std::filesystem::path absolute = std::filesystem::absolute(file);
    const zz_plugin& table = loaded_table(absolute, state);
    reason = check_table(table, host);
    if (!reason.empty()) return nullptr;
    if (built_again)
      log(LogLevel::warning,
          fmt::format("the plugin {} was built again: its new build is in use from here on", file));
    return &loaded().plugins.emplace_back(state, Plugin{file, &table, &host, false}).second;
  } catch (const std::exception& error) {
    reason = "cannot be loaded: " + linker_message(error.what());
    return nullptr;
  }
}

}  // namespace zz::host
