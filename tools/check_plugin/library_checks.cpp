#include "tools/check_plugin/library_checks.hpp"

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <ctime>
#include <fmt/format.h>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "core/base/diagnostics.hpp"
#include "core/base/text.hpp"
#include "core/value/type.hpp"
#include "host/boundary/host_table.hpp"
#include "host/chain/stage_call.hpp"
#include "host/plugins/library_file.hpp"
#include "host/plugins/plugin_library.hpp"
#include "host/values/handles.hpp"
#include "host/values/setting_value.hpp"
#include "host/values/stage_table.hpp"
#include "zz/stage_abi.h"

#include "tools/check_plugin/machine_state.hpp"

namespace zz::host {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < 3; ++i) text += (i > 0 ? ", " : "") + names[i];
  return names.size() > 3 ? fmt::format("{} and {} more", text, names.size() - 3) : text;
}

}  // namespace

bool check_library_file(const std::string& file, std::vector<Observation>& observations) {
  const auto note = [&](const char* rule, Outcome outcome, std::string seen) {
    observations.push_back({rule, outcome, "", std::move(seen)});
  };
  if (const std::string wrong = why_no_library(file); !wrong.empty()) {
    note("L9", Outcome::failed, wrong);
    return false;
  }
  const LibrarySymbols library = library_symbols(file);
  std::vector<std::string> others = library.exported;
  std::erase(others, std::string(ZZ_PLUGIN_SYMBOL));
  const bool exports = others.size() < library.exported.size();
  if (!exports) {
    note("L1", Outcome::failed, "does not export " ZZ_PLUGIN_SYMBOL);
  } else if (!others.empty()) {
    note("L1", Outcome::failed, "exports more than " ZZ_PLUGIN_SYMBOL ": " + listed(others));
  } else {
    note("L1", Outcome::passed, "exports " ZZ_PLUGIN_SYMBOL " and nothing else");
  }
  if (others.empty())
    note("L6", Outcome::passed, "nothing else is visible");
  else
    note("L6", Outcome::failed, "other libraries see " + listed(others));
  if (library.never_unloaded)
    note("L4", Outcome::passed, "is linked never to be unloaded");
  else
    note("L4", Outcome::failed, "is not linked with -z nodelete");
  const bool keeps_exceptions =
      std::any_of(library.undefined.begin(), library.undefined.end(), [](const std::string& name) {
        return name.find("rethrow_exception") != std::string::npos &&
               name.find("exception_ptr") != std::string::npos;
      });
  if (!keeps_exceptions) note("F5", Outcome::passed, "does not use std::rethrow_exception");
  return exports;
}

namespace {

constexpr std::uint32_t known_stage_flags = ZZ_STAGE_LEAF | ZZ_STAGE_PARALLEL_OPEN |
                                            ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_REDUCES | ZZ_STAGE_FORWARDS |
                                            ZZ_STAGE_ONE | ZZ_STAGE_IN_FILE;
constexpr std::uint32_t known_part_flags =
    ZZ_REQUIRED | ZZ_INPUT_PATH | ZZ_DEPRECATED | ZZ_OPTIONAL | ZZ_STAGES | ZZ_ANONYMOUS;

/// Collects what is wrong with one table.
class TableCheck {
 public:
  explicit TableCheck(Findings& findings) : findings_(findings) {}

  void wrong(const std::string& what) {
    findings_.failed("T4", what);
    good_ = false;
  }
  void text(const char* text, const std::string& what) {
    if (text != nullptr && !core::is_utf8(text)) wrong(what + " is not UTF-8");
  }
  bool good() const { return good_; }

 private:
  Findings& findings_;
  bool good_ = true;
};

void check_default(const zz_param& parameter, const zz_stage_desc& stage, TableCheck& check) {
  if (parameter.def == nullptr) return;
  const std::string what =
      fmt::format("the default '{}' of the setting '{}'", parameter.def, parameter.name);
  if ((parameter.flags & ZZ_REQUIRED) != 0) {
    check.wrong(what + " can never be used: the setting is required");
    return;
  }
  try {
    core::Diagnostics diagnostics;
    default_value(parameter, stage.name, diagnostics);
    if (diagnostics.has_errors()) {
      check.wrong(what + " is not " + kind_name(parameter.kind));
      return;
    }
    if (*parameter.def == '\0' || std::string_view(parameter.def) == "null") return;
    const auto node = core::yaml::load_text(parameter.def, "default", diagnostics);
    if (node.is_null()) return;
    if (const std::string why = why_not_allowed(node, parameter.allowed); !why.empty())
      check.wrong(what + " " + why);
  } catch (const std::exception& error) {
    check.wrong(what + " is no YAML: " + error.what());
  }
}

void check_parameter(const zz_param& parameter, const zz_stage_desc& stage, TableCheck& check) {
  const std::string what = fmt::format("the setting '{}'", parameter.name);
  for (const char* text :
       {parameter.name, parameter.def, parameter.allowed, parameter.unit, parameter.doc, parameter.aliases})
    check.text(text, "a text of " + what);
  if (parameter.doc == nullptr || *parameter.doc == '\0') check.wrong(what + " has no documentation");
  if ((parameter.flags & ~known_part_flags) != 0) check.wrong(what + " has flags that do not exist");
  if ((parameter.flags & ZZ_STAGES) != 0 && parameter.kind != ZZ_LIST)
    check.wrong(what + " is flagged ZZ_STAGES and is no list");
  if ((parameter.flags & ZZ_INPUT_PATH) != 0 && parameter.kind != ZZ_STR && parameter.kind != ZZ_LIST)
    check.wrong(what + " is flagged ZZ_INPUT_PATH and is no text or list of texts");
  if (parameter.more != nullptr) check.wrong(what + " has `more` set, which is NULL in this version");
  check_default(parameter, stage, check);
}

void check_parameters(const zz_stage_desc& stage, TableCheck& check) {
  std::set<std::string> names;
  for (const zz_param& parameter : parameters_of(stage)) {
    check_parameter(parameter, stage, check);
    auto own = split_names(parameter.aliases);
    own.emplace_back(parameter.name);
    for (const auto& name : own) {
      if (!names.insert(name).second) check.wrong("two settings go by the name '" + name + "'");
    }
  }
}

void check_metrics(const zz_stage_desc& stage, TableCheck& check) {
  for (const zz_metric& metric : metrics_of(stage)) {
    const std::string what = fmt::format("the metric '{}'", text_or_empty(metric.name));
    for (const char* text : {metric.name, metric.unit, metric.doc}) check.text(text, "a text of " + what);
    if (metric.doc == nullptr || *metric.doc == '\0') check.wrong(what + " has no documentation");
    if (metric.sum < ZZ_SUM_ADD || metric.sum > ZZ_SUM_NONE)
      check.wrong(what + " has a sum that does not exist");
    if ((metric.flags & ~std::uint32_t{ZZ_METRIC_COLUMN}) != 0)
      check.wrong(what + " has flags that do not exist");
    if (metric.more != nullptr) check.wrong(what + " has `more` set, which is NULL in this version");
    if (core::find_field(*core::find_object_type("evaluation"), core::intern(metric.name)) != nullptr)
      check.wrong(what + " is a field of every evaluation: name it in `writes` instead");
  }
}

void check_ports(std::span<const zz_port> ports, const char* word, TableCheck& check) {
  std::set<std::string_view> keys;
  for (const zz_port& port : ports) {
    const std::string what = fmt::format("the key '{}' that it {}", port.key, word);
    for (const char* text : {port.key, port.type, port.doc}) check.text(text, "a text of " + what);
    if (port.doc == nullptr || *port.doc == '\0') check.wrong(what + " has no documentation");
    if (port.kind < ZZ_NULL || port.kind > ZZ_OBJECT) check.wrong(what + " has a kind that does not exist");
    if ((port.flags & ~known_part_flags) != 0) check.wrong(what + " has flags that do not exist");
    if (port.kind == ZZ_OBJECT && port.type != nullptr && core::find_object_type(port.type) == nullptr)
      check.wrong(fmt::format("{} is of the type '{}', which does not exist", what, port.type));
    if (port.more != nullptr) check.wrong(what + " has `more` set, which is NULL in this version");
    if (!keys.insert(port.key).second) check.wrong(what + " is in the table twice");
  }
}

void check_flags(const zz_stage_desc& stage, TableCheck& check, Findings& findings) {
  if ((stage.flags & ~known_stage_flags) != 0) check.wrong("the stage has flags that do not exist");
  const bool leaf = (stage.flags & ZZ_STAGE_LEAF) != 0;
  const bool forwards = (stage.flags & ZZ_STAGE_FORWARDS) != 0;
  if (leaf && forwards) findings.failed("S6", "a leaf has nothing below that it could forward");
  if (forwards && (stage.flags & ZZ_STAGE_REDUCES) != 0)
    findings.failed("S6", "claims both to forward each result and to reduce them to one");
  const auto settings = parameters_of(stage);
  const bool has_chain = std::any_of(settings.begin(), settings.end(), [](const zz_param& setting) {
    return (setting.flags & ZZ_STAGES) != 0;
  });
  if (leaf && stage.n_provides > 0 && !has_chain)
    findings.failed("S4", "a leaf hands down keys, and nothing is below it, nor in one of its settings");
}

}  // namespace

void check_stage_table(const zz_stage_desc& stage, std::uint16_t abi_minor, Findings& findings) {
  findings.about(text_or_empty(stage.name));
  findings.doing("reading its table");
  // A table of an earlier minor may be shorter.
  if (stage.size == sizeof(zz_stage_desc) || abi_minor < ZZ_ABI_MINOR)
    findings.passed("T1", "tables give their size");
  else
    findings.failed("T1", fmt::format("says size {}, the table of this version has {} bytes", stage.size,
                                      sizeof(zz_stage_desc)));
  TableCheck check(findings);
  for (const char* text : {stage.id, stage.name, stage.aliases, stage.summary, stage.doc})
    check.text(text, "a text of the stage");
  if (stage.summary == nullptr || *stage.summary == '\0') check.wrong("the stage has no summary");
  if (std::string_view(stage.id).find('.') == std::string_view::npos)
    check.wrong(fmt::format("the id '{}' names no owner: write it as org.example.MyStage", stage.id));
  check_flags(stage, check, findings);
  check_parameters(stage, check);
  check_ports(consumed_by(stage), "takes", check);
  check_ports(provided_by(stage), "hands down", check);
  for (const char* metric : std::span(stage.writes, stage.n_writes))
    check.text(metric, "a metric it writes");
  check_metrics(stage, check);
  if (check.good()) findings.passed("T4", "the tables of settings, keys and metrics are in order");
}

void check_stage_names(const zz_plugin& plugin, Findings& findings) {
  findings.about("");
  findings.doing("comparing the names of its stages");
  std::map<std::string, const zz_stage_desc*> owners;
  for (const zz_stage_desc* stage : std::span(plugin.stages, plugin.n_stages)) {
    for (const auto& name : names_of(*stage)) {
      if (!owners.emplace(name, stage).second)
        findings.failed("T4", fmt::format("two of its stages go by the name '{}'", name));
    }
  }
}

namespace {

constexpr double dear = 0.1;  ///< seconds of work that `init` may not take

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The table, before anything in it is checked; nullptr when the library does not load, which is told.
const zz_plugin* load_table(const std::string& file, Findings& findings) {
  findings.doing("loading the library");
  namespace mode = boost::dll::load_mode;
  // Never unloaded: the process that checks ends with it.
  static auto* const library = new boost::dll::shared_library;
  try {
    library->load(file, mode::rtld_now | mode::rtld_local);
  } catch (const std::exception& error) {
    findings.failed("L9", fmt::format("the dynamic linker refuses it: {}", linker_message(error.what())));
    return nullptr;
  }
  findings.passed("L9", "loads on this machine");
  return library->has(ZZ_PLUGIN_SYMBOL) ? &library->get<const zz_plugin>(ZZ_PLUGIN_SYMBOL) : nullptr;
}

/// Which rule is broken where the loader refuses a library, by what it says.
const char* rule_of_refusal(const std::string& reason) {
  const auto starts = [&](std::string_view words) { return reason.rfind(words, 0) == 0; };
  if (starts("needs stage ABI")) return "L2";
  if (starts("belongs to another build")) return "L8";
  return starts("its table has") ? "T1" : "L3";
}

void note_accepted(const zz_plugin& table, Findings& findings) {
  findings.passed("L2", fmt::format("is for stage ABI {}.{}, this host has {}.{}", table.abi_major,
                                    table.abi_minor, ZZ_ABI_MAJOR, ZZ_ABI_MINOR));
  findings.passed("L3", fmt::format("the table of {} {} names {} stage{}", table.id, table.version,
                                    table.n_stages, table.n_stages == 1 ? "" : "s"));
  findings.passed("L8", table.build == nullptr ? "does not ask for the internal tables"
                                               : "belongs to this build of the host");
}

void note_machine(const MachineState& before, Findings& findings, const char* during) {
  const std::string changed = before.changed_in(MachineState::now());
  if (changed.find("flush-to-zero") != std::string::npos && std::string_view(during) == "loading it") {
    findings.failed("L7", "loading it changes " + changed + ", as -ffast-math does");
  } else if (!changed.empty()) {
    findings.failed("M4", fmt::format("{} changes {}", during, changed));
  } else if (std::string_view(during) == "loading it") {
    findings.passed("L7", "loading it leaves the processor's arithmetic alone");
  }
  before.restore();
}

}  // namespace

void check_loading(const std::string& file, Findings& findings) {
  const MachineState before = MachineState::now();
  const int threads = thread_count();
  const zz_plugin* table = load_table(file, findings);
  if (table == nullptr) return;
  note_machine(before, findings, "loading it");
  if (threads_were_added(threads)) findings.failed("M2", "loading it starts a thread");
  findings.doing("reading its table");
  std::string reason;
  if (load_plugin(file, host_table(), reason) == nullptr) {
    findings.failed(rule_of_refusal(reason), reason);
    return;
  }
  note_accepted(*table, findings);
  check_stage_names(*table, findings);
  for (const zz_stage_desc* stage : std::span(table->stages, table->n_stages))
    check_stage_table(*stage, table->abi_minor, findings);
}

void check_initialisation(const std::string& file, Findings& findings) {
  findings.doing("loading the library");
  std::string reason;
  const Plugin* plugin = load_plugin(file, host_table(), reason);
  if (plugin == nullptr) return;
  const zz_plugin& table = *plugin->table;
  if (table.init == nullptr) {
    findings.passed("L5", "has no init");
    return;
  }
  const MachineState before = MachineState::now();
  for (int pair = 1; pair <= 2; ++pair) {
    findings.doing(fmt::format("init, for the {} time", pair == 1 ? "first" : "second"));
    zz_error sink;
    const double start = processor_seconds();
    const zz_status status = table.init(&host_table(), &sink);
    const double seconds = processor_seconds() - start;
    note_machine(before, findings, "init");
    if (status != ZZ_OK) {
      if (sink.message.empty()) findings.failed("F2", "init failed without saying why");
      findings.failed("L5", fmt::format("init, for the {} time, failed: {}", pair == 1 ? "first" : "second",
                                        sink.message));
      return;
    }
    if (seconds > dear) findings.failed("L5", fmt::format("init took {:.2f} s", seconds));
    if (table.deinit == nullptr) continue;
    findings.doing("deinit");
    table.deinit();
    note_machine(before, findings, "deinit");
  }
  findings.passed("L5", table.deinit != nullptr ? "init and deinit work twice" : "init works twice");
}

}  // namespace zz::host
