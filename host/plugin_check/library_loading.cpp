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

bool check_versions(const zz_plugin& table, Notes& notes) {
  const bool same_major = table.abi_major == ZZ_ABI_MAJOR;
  const bool fits =
      same_major && (ZZ_ABI_MAJOR == 0 ? table.abi_minor == ZZ_ABI_MINOR : table.abi_minor <= ZZ_ABI_MINOR);
  const std::string versions = fmt::format("is for stage ABI {}.{}, this host has {}.{}", table.abi_major,
                                           table.abi_minor, ZZ_ABI_MAJOR, ZZ_ABI_MINOR);
  if (!fits) {
    notes.failed("L2", versions);
    return false;
  }
  notes.passed("L2", versions);
  if (table.size != sizeof(zz_plugin)) {
    notes.failed("T1", fmt::format("the plugin's table says size {}, that of this version has {} bytes",
                                   table.size, sizeof(zz_plugin)));
  }
  return table.size >= sizeof(zz_plugin);
}

void check_build(const zz_plugin& table, Notes& notes) {
  if (table.build == nullptr) {
    notes.passed("L8", "does not ask for the internal tables");
  } else if (std::string_view(table.build) == host_table().build) {
    notes.passed("L8", "belongs to this build of the host");
  } else {
    notes.failed("L8", fmt::format("belongs to the build {}, this is {}", table.build, host_table().build));
  }
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
  if (!check_versions(*table, notes)) return;
  check_build(*table, notes);
  std::string reason;
  if (const Plugin* plugin = load_plugin(file, reason); plugin == nullptr) {
    notes.failed("L3", reason);
    return;
  }
  notes.passed(
      "L3", fmt::format("the table of {} {} names {} stages", table->id, table->version, table->n_stages));
  check_stage_names(*table, notes);
  for (const zz_stage_desc* stage : std::span(table->stages, table->n_stages))
    check_stage_table(*stage, notes);
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
