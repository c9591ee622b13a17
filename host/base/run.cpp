#include "host/base/run.hpp"

#include "core/base/interruption.hpp"

namespace zz::host {
namespace {

constinit thread_local Run* current = nullptr;

void work_for(Run* run) {
  current = run;
  core::interruption = run != nullptr ? &run->cancelled : nullptr;
}

}  // namespace

Run& current_run() {
  // Never destroyed: threads and static objects may log until the end.
  static Run& none = *new Run;
  return current != nullptr ? *current : none;
}

WorkingFor::WorkingFor(Run& run) : before_(current) { work_for(&run); }
WorkingFor::~WorkingFor() { work_for(before_); }

}  // namespace zz::host
