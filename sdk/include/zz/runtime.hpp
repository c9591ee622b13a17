// zz/runtime.hpp - the host's tables, as the plugin keeps them. zz_plugin.init sets them once.
//
// Included by the other headers. An author needs `host()` only to reach an extension that the SDK does not
// wrap. The namespace is hidden, so that two plugins in one process never share these variables.
#pragma once

#include "zz/stage_abi.h"

#pragma GCC visibility push(hidden)
namespace zz {
namespace detail {

struct Runtime {
  const zz_host* host = nullptr;
  const zz_values* values = nullptr;  // every host has it
  const zz_log* log = nullptr;        // null from here on: not offered by this host
  const zz_progress* progress = nullptr;
  const zz_cancel* cancel = nullptr;
  const zz_parallel* parallel = nullptr;
  const zz_output* output = nullptr;
  const zz_input* input = nullptr;
  const zz_evaluations* evaluations = nullptr;
  const zz_demands* demands = nullptr;
  const zz_score* score = nullptr;
  const zz_nested* nested = nullptr;
  const zz_mappings* mappings = nullptr;
  const zz_report* report = nullptr;
  const zz_process* process = nullptr;
  const zz_answers* answers = nullptr;
};

inline constinit Runtime runtime;

template <class Table>
void find_extension(const Table*& table, const char* id) noexcept {
  table = static_cast<const Table*>(runtime.host->get_extension(id));
}

// False when the host lacks a table that every stage needs.
inline bool meet(const zz_host* host) noexcept {
  runtime.host = host;
  find_extension(runtime.values, ZZ_VALUES);
  find_extension(runtime.log, ZZ_LOG);
  find_extension(runtime.progress, ZZ_PROGRESS);
  find_extension(runtime.cancel, ZZ_CANCEL);
  find_extension(runtime.parallel, ZZ_PARALLEL);
  find_extension(runtime.output, ZZ_OUTPUT);
  find_extension(runtime.input, ZZ_INPUT);
  find_extension(runtime.evaluations, ZZ_EVALUATIONS);
  find_extension(runtime.demands, ZZ_DEMAND);
  find_extension(runtime.score, ZZ_SCORE);
  find_extension(runtime.nested, ZZ_NESTED);
  find_extension(runtime.mappings, ZZ_MAPPINGS);
  find_extension(runtime.report, ZZ_REPORT);
  find_extension(runtime.process, ZZ_PROCESS);
  find_extension(runtime.answers, ZZ_ANSWERS);
  return runtime.values != nullptr;
}

// The error sink of the entry point that this thread is in; null outside of one. Never inlined: a
// coroutine may continue on another thread, and an address of a thread-local must not be remembered
// across that. `set_sink` returns the one before. A cache line by itself: the system puts it on the heap,
// where other threads would write beside it.
struct alignas(64) SinkOfThread {
  zz_error* sink = nullptr;
};
inline thread_local SinkOfThread sink_of_thread;
[[gnu::noinline]] inline zz_error* sink() noexcept { return sink_of_thread.sink; }
[[gnu::noinline]] inline zz_error* set_sink(zz_error* sink) noexcept {
  zz_error* before = sink_of_thread.sink;
  sink_of_thread.sink = sink;
  return before;
}

class SinkScope {
 public:
  explicit SinkScope(zz_error* sink) noexcept : before_(set_sink(sink)) {}
  ~SinkScope() { set_sink(before_); }
  SinkScope(const SinkScope&) = delete;
  SinkScope& operator=(const SinkScope&) = delete;

 private:
  zz_error* before_;
};

}  // namespace detail

// The host. Valid after zz_plugin.init, hence not in a static initialiser.
inline const zz_host& host() noexcept { return *detail::runtime.host; }

}  // namespace zz
#pragma GCC visibility pop
