#include <ctime>
#include <dlfcn.h>
#include <fmt/format.h>
#include <span>

#include "host/chain/activation.hpp"
#include "host/plugin_check/library_checks.hpp"
#include "host/plugin_check/machine_state.hpp"
#include "host/plugin_check/table_checks.hpp"
#include "host/plugins/plugin_library.hpp"
#include "host/plugins/stage_table.hpp"
#include "host/services/host_table.hpp"
#include "host/values/error_sink.hpp"

namespace zz::host {
namespace {

constexpr double dear = 0.1;  ///< seconds of work that `init` may not take

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The table, before anything in it is checked; nullptr when the library does not load, which is told.
const zz_plugin* load_table(const std::string& file, Notes& notes) {
  notes.doing("loading the library");
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = ::dlerror();
    notes.failed("L9", fmt::format("the dynamic linker refuses it: {}", text_or_empty(why)));
    return nullptr;
  }
  notes.passed("L9", "loads on this machine");
  return static_cast<const zz_plugin*>(::dlsym(library, ZZ_PLUGIN_SYMBOL));
}

/// Which rule is broken where the loader refuses a library, by what it says.
const char* rule_of_refusal(const std::string& reason) {
  const auto starts = [&](std::string_view words) { return reason.rfind(words, 0) == 0; };
  if (starts("needs stage ABI")) return "L2";
  if (starts("belongs to another build")) return "L8";
  return starts("its table has") ? "T1" : "L3";
}

void note_accepted(const zz_plugin& table, Notes& notes) {
  notes.passed("L2", fmt::format("is for stage ABI {}.{}, this host has {}.{}", table.abi_major,
                                 table.abi_minor, ZZ_ABI_MAJOR, ZZ_ABI_MINOR));
  notes.passed("L3", fmt::format("the table of {} {} names {} stage{}", table.id, table.version,
                                 table.n_stages, table.n_stages == 1 ? "" : "s"));
  notes.passed("L8", table.build == nullptr ? "does not ask for the internal tables"
                                            : "belongs to this build of the host");
}

void note_machine(const MachineState& before, Notes& notes, const char* during) {
  const std::string changed = before.changed_in(MachineState::now());
  if (changed.find("flush-to-zero") != std::string::npos && std::string_view(during) == "loading it") {
    notes.failed("L7", "loading it changes " + changed + ", as -ffast-math does");
  } else if (!changed.empty()) {
    notes.failed("M4", fmt::format("{} changes {}", during, changed));
  } else if (std::string_view(during) == "loading it") {
    notes.passed("L7", "loading it leaves the processor's arithmetic alone");
  }
  before.restore();
}

}  // namespace

void check_loading(const std::string& file, Notes& notes) {
  const MachineState before = MachineState::now();
  const int threads = thread_count();
  const zz_plugin* table = load_table(file, notes);
  if (table == nullptr) return;
  note_machine(before, notes, "loading it");
  if (threads_were_added(threads)) notes.failed("M2", "loading it starts a thread");
  notes.doing("reading its table");
  std::string reason;
  if (load_plugin(file, reason) == nullptr) {
    notes.failed(rule_of_refusal(reason), reason);
    return;
  }
  note_accepted(*table, notes);
  check_stage_names(*table, notes);
  for (const zz_stage_desc* stage : std::span(table->stages, table->n_stages))
    check_stage_table(*stage, table->abi_minor, notes);
}

void check_initialisation(const std::string& file, Notes& notes) {
  notes.doing("loading the library");
  std::string reason;
  const Plugin* plugin = load_plugin(file, reason);
  if (plugin == nullptr) return;
  const zz_plugin& table = *plugin->table;
  if (table.init == nullptr) {
    notes.passed("L5", "has no init");
    return;
  }
  const MachineState before = MachineState::now();
  for (int pair = 1; pair <= 2; ++pair) {
    notes.doing(fmt::format("init, for the {} time", pair == 1 ? "first" : "second"));
    zz_error sink;
    const double start = processor_seconds();
    const zz_status status = table.init(&host_table(), &sink);
    const double seconds = processor_seconds() - start;
    note_machine(before, notes, "init");
    if (status != ZZ_OK) {
      if (sink.message.empty()) notes.failed("F2", "init failed without saying why");
      notes.failed("L5", fmt::format("init, for the {} time, failed: {}", pair == 1 ? "first" : "second",
                                     sink.message));
      return;
    }
    if (seconds > dear) notes.failed("L5", fmt::format("init took {:.2f} s", seconds));
    if (table.deinit == nullptr) continue;
    notes.doing("deinit");
    table.deinit();
    note_machine(before, notes, "deinit");
  }
  notes.passed("L5", table.deinit != nullptr ? "init and deinit work twice" : "init works twice");
}

}  // namespace zz::host
