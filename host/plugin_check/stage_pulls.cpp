#include <fmt/format.h>

#include "host/plugin_check/stage_checks.hpp"
#include "host/values/handle.hpp"

namespace zz::host {
namespace {

constexpr std::uint32_t rooms[] = {1, 2, 7, 64};

/// Pulls on after the end or a failure: the answer stays the same.
void check_end_is_final(StageCalls& calls, Notes& notes, const Plan& plan) {
  calls.host().below.begin(plan);
  zz_stage* stage = nullptr;
  if (calls.create(stage).status != ZZ_OK || stage == nullptr) return;
  zz_value* context = new_handle(make_context(calls.setup().context));
  zz_stream stream{};
  const bool opened = calls.open(stage, context, stream).status == ZZ_OK;
  release(context);
  if (opened) {
    std::vector<std::string> results;
    std::uint32_t count = 1;
    Called last;
    for (int pulls = 0; count > 0 && last.status == ZZ_OK && pulls < 10000; ++pulls)
      last = calls.pull(stream, 2, count, results);
    for (int again = 0; again < 2 && count == 0; ++again) {
      const Called later = calls.pull(stream, 2, count, results);
      calls.go_on_unless_stopped(plan);
      if (later.status != last.status || count != 0) {
        notes.failed(
            "P2", fmt::format("{}: a pull after {} answers with the status {} and {} results", plan.text(),
                              last.status == ZZ_OK ? "the end" : "a failure", later.status, count));
        break;
      }
    }
    calls.close(stream);
    notes.passed("P2", "the end and failures are final");
  }
  calls.destroy(stage);
  calls.host().below.settle("after everything was closed");
  calls.host().ledger.settle("after destroy");
}

}  // namespace

void check_pulls(StageCalls& calls, Notes& notes) {
  StageCalls::Way way;
  const Trace first = calls.run(way);
  if (!first.opened) {
    if (first.created)
      notes.not_run(
          fmt::format("open fails over the made-up context: {} (--set KEY=VALUE gives other values)",
                      first.failure != nullptr ? first.failure->message : ""));
    return;
  }
  if (first.results.empty()) {
    const std::string why = "it gives no result over the made-up context: " + first.how_it_ended();
    notes.unchecked("S5", why);
    notes.unchecked("P1", why);
  } else {
    notes.passed("S5", "results have their parts");
    notes.passed("P1", "gives as many results as there is room for, at most");
  }
  check_end_is_final(calls, notes, Plan{});
  check_end_is_final(calls, notes, Plan{3, 1, ZZ_E_INVALID, false});
  if (!(calls.run(way) == first)) return;  // nothing to compare with
  for (const Plan& plan : {Plan{}, Plan{0, -1, ZZ_OK, false}, Plan{3, 2, ZZ_E_INVALID, false}}) {
    way.plan = plan;
    way.cap = rooms[0];
    const Trace expected = calls.run(way);
    for (const std::uint32_t cap : rooms) {
      way.cap = cap;
      const Trace trace = calls.run(way);
      if (trace == expected) continue;
      notes.failed("P3", fmt::format("{}: with room for 1 {}; with room for {} {}", plan.text(),
                                     expected.how_it_ended(), cap, trace.how_it_ended()));
      return;
    }
  }
  notes.passed("P3", "with room for 1, 2, 7 and 64 results a consumer sees the same");
}

}  // namespace zz::host
