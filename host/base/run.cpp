#include "host/base/run.hpp"

#include <algorithm>

namespace zz::host {
namespace {

constinit thread_local Run* current = nullptr;

}  // namespace

Counters counters_of(const Run& run) {
  Counters counters = run.progress.counters();
  const core::Answers::Count count = run.answers->counted();
  if (count.asked > 0) {
    counters.emplace_back(asked_of_store, count.asked);
    counters.emplace_back(found_in_store, count.found);
    std::sort(counters.begin(), counters.end());
  }
  return counters;
}

Run& current_run() {
  // Never destroyed: threads and static objects may log until the end.
  static Run& none = *new Run;
  return current != nullptr ? *current : none;
}

WorkingFor::WorkingFor(Run& run)
    : before_(current), interrupted_({&run.cancelled, core::interruption.until}) {
  current = &run;
}
WorkingFor::~WorkingFor() { current = before_; }

}  // namespace zz::host
