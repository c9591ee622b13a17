#include <fmt/format.h>

#include "host/plugin_check/stage_checks.hpp"
#include "host/services/cancellation.hpp"

namespace zz::host {
namespace {

/// Two stages of one place live side by side; neither is opened.
bool check_two_stages(StageCalls& calls, Notes& notes) {
  zz_stage *first = nullptr, *second = nullptr;
  const Called one = calls.create(first);
  if (one.status != ZZ_OK) {
    notes.not_run(
        fmt::format("create refuses the made-up settings: {} (--set gives others)", one.failure->message));
    return false;
  }
  if (first == nullptr) {
    notes.failed("S1", "create says ZZ_OK and gives no stage");
    return false;
  }
  const Called other = calls.create(second);
  if (other.status != ZZ_OK || second == nullptr) {
    notes.failed("S1", "create works once and not twice");
    calls.destroy(first);
    return false;
  }
  calls.destroy(first);
  calls.destroy(second);
  calls.host().ledger.settle("after destroy of a stage that was never opened");
  notes.passed("S1", "stages are made and destroyed, also without a run");
  return true;
}

}  // namespace

void check_lifetime(StageCalls& calls, Notes& notes) {
  if (!check_two_stages(calls, notes)) return;
  StageCalls::Way way;
  way.stop_after = 0;
  if (!calls.run(way).opened) return;
  notes.passed("S2", "open fills in the stream");
  for (int pulls = 1; pulls <= 3; ++pulls) {
    way.stop_after = pulls;
    way.cap = pulls == 3 ? 7 : 1;
    calls.run(way);
  }
  notes.passed("P4", "streams are closed before, between and after results");
  notes.passed("O1", "values are used while they are held");
  notes.passed("O2", "every reference goes back");
  notes.passed("F1", "no exception escapes");
  notes.passed("F3", "all status codes exist");
  notes.passed("M4", "the state of the machine is left alone");
  notes.passed("M5", "nothing crashes");
}

}  // namespace zz::host
