#include <fmt/format.h>

#include "host/plugin_check/stage_checks.hpp"

namespace zz::host {
namespace {

bool names_the_cause(const FailurePointer& failure) {
  for (const Failure* one = failure.get(); one != nullptr; one = one->cause.get()) {
    if (one->message.find(ChainBelow::words) != std::string::npos) return true;
  }
  return false;
}

/// Failures that only concern one point of a search may be recorded, and the search go on.
bool may_go_on(zz_status code) { return code == ZZ_OK || code == ZZ_E_INVALID || code == ZZ_E_NO_RESULT; }

void check_one(StageCalls& calls, Notes& notes, const StageCalls::Way& way) {
  const Trace trace = calls.run(way);
  if (!trace.created || !calls.host().below.faulted() || way.plan.code == ZZ_OK) return;
  if (trace.status == ZZ_OK) {
    if (!may_go_on(way.plan.code))
      notes.failed("F4", fmt::format("{}: goes on to {}", way.plan.text(), trace.how_it_ended()));
    return;
  }
  if (way.plan.code == ZZ_E_CANCELLED && trace.status != ZZ_E_CANCELLED) {
    notes.failed("F4", fmt::format("{}: fails with the code {} instead", way.plan.text(), trace.status));
  } else if (!way.without_error && !names_the_cause(trace.failure)) {
    notes.failed("F4", fmt::format("{}: its own failure ({}) does not lead back to that of the chain",
                                   way.plan.text(), trace.failure->message));
  } else {
    notes.passed("F4", "failures of the chain below are handed on");
  }
}

}  // namespace

void check_faults(StageCalls& calls, Notes& notes) {
  StageCalls::Way way;
  const Trace plain = calls.run(way);
  if (!plain.created) return;
  const int most = calls.host().below.given();
  for (const zz_status code : {ZZ_OK, ZZ_E_INVALID, ZZ_E_NO_RESULT, ZZ_E_INTERNAL, ZZ_E_CANCELLED}) {
    for (int at = 0; at <= most && at <= 12; ++at) {
      for (const std::uint32_t cap : {1U, 7U}) {
        way.plan = Plan{3, at, code, cap == 7};
        way.cap = cap;
        check_one(calls, notes, way);
      }
    }
  }
  way.without_error = true;
  way.plan = Plan{3, 1, ZZ_E_INVALID, false};
  calls.run(way);
  way.plan = Plan{};
  calls.run(way);
  notes.passed("O3", "works with a null zz_error");
  notes.passed("P5", "every call ends soon");
}

}  // namespace zz::host
