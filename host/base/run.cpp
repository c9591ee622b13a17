#include "host/base/run.hpp"

namespace zz::host {
namespace {

constinit thread_local Run* current = nullptr;

}  // namespace

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
