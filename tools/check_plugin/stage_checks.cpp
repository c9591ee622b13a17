#include "tools/check_plugin/stage_checks.hpp"

#include <fmt/format.h>

#include "host/base/cancellation.hpp"
#include "host/values/handles.hpp"

namespace zz::host {
namespace {

/// Two stages of one place live side by side; neither is opened.
bool check_two_stages(StageCalls& calls, Findings& findings) {
  zz_stage *first = nullptr, *second = nullptr;
  const Called one = calls.create(first);
  if (one.status != ZZ_OK) {
    findings.not_run(
        fmt::format("create refuses the made-up settings: {} (--set gives others)", one.failure->message));
    return false;
  }
  if (first == nullptr) {
    findings.failed("S1", "create says ZZ_OK and gives no stage");
    return false;
  }
  const Called other = calls.create(second);
  if (other.status != ZZ_OK || second == nullptr) {
    findings.failed("S1", "create works once and not twice");
    calls.destroy(first);
    return false;
  }
  calls.destroy(first);
  calls.destroy(second);
  calls.host().ledger.settle("after destroy of a stage that was never opened");
  findings.passed("S1", "stages are made and destroyed, also without a run");
  return true;
}

}  // namespace

void check_lifetime(StageCalls& calls, Findings& findings) {
  if (!check_two_stages(calls, findings)) return;
  StageCalls::Way way;
  way.stop_after = 0;
  if (!calls.run(way).opened) return;
  findings.passed("S2", "open fills in the stream");
  for (int pulls = 1; pulls <= 3; ++pulls) {
    way.stop_after = pulls;
    way.cap = pulls == 3 ? 7 : 1;
    calls.run(way);
  }
  findings.passed("P4", "streams are closed before, between and after results");
  findings.passed("O1", "values are used while they are held");
  findings.passed("O2", "every reference goes back");
  findings.passed("F1", "no exception escapes");
  findings.passed("F3", "all status codes exist");
  findings.passed("M4", "the state of the machine is left alone");
  findings.passed("M5", "nothing crashes");
}

namespace {

constexpr std::uint32_t rooms[] = {1, 2, 7, 64};

/// Pulls on after the end or a failure: the answer stays the same.
void check_end_is_final(StageCalls& calls, Findings& findings, const Plan& plan) {
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
        findings.failed(
            "P2", fmt::format("{}: a pull after {} answers with the status {} and {} results", plan.text(),
                              last.status == ZZ_OK ? "the end" : "a failure", later.status, count));
        break;
      }
    }
    calls.close(stream);
    findings.passed("P2", "the end and failures are final");
  }
  calls.destroy(stage);
  calls.host().below.settle("after everything was closed");
  calls.host().ledger.settle("after destroy");
}

}  // namespace

void check_pulls(StageCalls& calls, Findings& findings) {
  StageCalls::Way way;
  const Trace first = calls.run(way);
  if (!first.opened) {
    if (first.created)
      findings.not_run(
          fmt::format("open fails over the made-up context: {} (--set KEY=VALUE gives other values)",
                      first.failure != nullptr ? first.failure->message : ""));
    return;
  }
  if (first.results.empty()) {
    const std::string why = "it gives no result over the made-up context: " + first.how_it_ended();
    findings.unchecked("S5", why);
    findings.unchecked("P1", why);
  } else {
    findings.passed("S5", "results have their parts");
    findings.passed("P1", "gives as many results as there is room for, at most");
  }
  check_end_is_final(calls, findings, Plan{});
  check_end_is_final(calls, findings, Plan{3, 1, ZZ_E_INVALID, false});
  if (!(calls.run(way) == first)) return;  // nothing to compare with
  for (const Plan& plan : {Plan{}, Plan{0, -1, ZZ_OK, false}, Plan{3, 2, ZZ_E_INVALID, false}}) {
    way.plan = plan;
    way.cap = rooms[0];
    const Trace expected = calls.run(way);
    for (const std::uint32_t cap : rooms) {
      way.cap = cap;
      const Trace trace = calls.run(way);
      if (trace == expected) continue;
      findings.failed("P3", fmt::format("{}: with room for 1 {}; with room for {} {}", plan.text(),
                                        expected.how_it_ended(), cap, trace.how_it_ended()));
      return;
    }
  }
  findings.passed("P3", "with room for 1, 2, 7 and 64 results a consumer sees the same");
}

namespace {

bool names_the_cause(const FailurePointer& failure) {
  for (const Failure* one = failure.get(); one != nullptr; one = one->cause.get()) {
    if (one->message.find(FakeChain::words) != std::string::npos) return true;
  }
  return false;
}

/// Failures that only concern one point of a search may be recorded, and the search go on.
bool may_go_on(zz_status code) { return code == ZZ_OK || code == ZZ_E_INVALID || code == ZZ_E_NO_RESULT; }

void check_one(StageCalls& calls, Findings& findings, const StageCalls::Way& way) {
  const Trace trace = calls.run(way);
  if (!trace.created || !calls.host().below.faulted() || way.plan.code == ZZ_OK) return;
  if (trace.status == ZZ_OK) {
    if (!may_go_on(way.plan.code))
      findings.failed("F4", fmt::format("{}: goes on to {}", way.plan.text(), trace.how_it_ended()));
    return;
  }
  if (way.plan.code == ZZ_E_CANCELLED && trace.status != ZZ_E_CANCELLED) {
    findings.failed("F4", fmt::format("{}: fails with the code {} instead", way.plan.text(), trace.status));
  } else if (!way.without_error && !names_the_cause(trace.failure)) {
    findings.failed("F4", fmt::format("{}: its own failure ({}) does not lead back to that of the chain",
                                      way.plan.text(), trace.failure->message));
  } else {
    findings.passed("F4", "failures of the chain below are handed on");
  }
}

}  // namespace

void check_faults(StageCalls& calls, Findings& findings) {
  StageCalls::Way way;
  const Trace plain = calls.run(way);
  if (!plain.created) return;
  const int most = calls.host().below.given();
  for (const zz_status code : {ZZ_OK, ZZ_E_INVALID, ZZ_E_NO_RESULT, ZZ_E_INTERNAL, ZZ_E_CANCELLED}) {
    for (int at = 0; at <= most && at <= 12; ++at) {
      for (const std::uint32_t cap : {1U, 7U}) {
        way.plan = Plan{3, at, code, cap == 7};
        way.cap = cap;
        check_one(calls, findings, way);
      }
    }
  }
  way.without_error = true;
  way.plan = Plan{3, 1, ZZ_E_INVALID, false};
  calls.run(way);
  way.plan = Plan{};
  calls.run(way);
  findings.passed("O3", "works with a null zz_error");
  findings.passed("P5", "every call ends soon");
}

namespace {

/// Pulls after which a run that gives `alone` has ended. A stage that breaks rule M3 may never end, and a
/// count finds that on a busy machine as well, where the time for all calls would run out first.
int pulls_enough_for(const Trace& alone) { return static_cast<int>(alone.results.size()) + 2; }

/// Two streams of one stage, pulled in turn, give what each gives alone.
void check_two_streams(StageCalls& calls, Findings& findings, const Trace& alone) {
  calls.host().below.begin(Plan{});
  zz_stage* stage = nullptr;
  if (calls.create(stage).status != ZZ_OK || stage == nullptr) return;
  zz_value* context = new_handle(make_context(calls.setup().context));
  zz_stream streams[2] = {};
  int opened = 0;
  while (opened < 2 && calls.open(stage, context, streams[opened]).status == ZZ_OK) ++opened;
  release(context);
  std::vector<std::string> results[2];
  bool more[2] = {opened == 2, opened == 2};
  for (int pulls = 0; (more[0] || more[1]) && pulls < pulls_enough_for(alone); ++pulls) {
    for (int i = 0; i < 2; ++i) {
      std::uint32_t count = 0;
      if (more[i]) more[i] = calls.pull(streams[i], 1, count, results[i]).status == ZZ_OK && count > 0;
    }
  }
  for (int i = 0; i < opened; ++i) calls.close(streams[i]);
  calls.destroy(stage);
  calls.host().below.settle("after two streams");
  calls.host().ledger.settle("after two streams");
  calls.go_on_unless_stopped(Plan{});
  if (opened < 2) return;
  if (results[0] == alone.results && results[1] == alone.results)
    findings.passed("M3", "two streams at a time do not disturb each other");
  else
    findings.failed("M3",
                    fmt::format("two streams of one stage, pulled in turn, give {} and {} results, or "
                                "other ones, than the {} of one alone",
                                results[0].size(), results[1].size(), alone.results.size()));
}

}  // namespace

void check_threads(StageCalls& calls, Findings& findings) {
  StageCalls::Way way;
  const Trace expected = calls.run(way);
  if (!expected.opened || !(calls.run(way) == expected)) return;  // nothing to compare with
  calls.host().backwards_loops = true;
  const Trace backwards = calls.run(way);
  calls.host().backwards_loops = false;
  if (backwards == expected)
    findings.passed("M2", "no thread is left running, and loops may run in any order");
  else
    findings.failed("M2", "gives other results when the loops of zz.parallel/0 run from their last index");
  way.on_other_threads = true;
  way.stop_after = pulls_enough_for(expected);
  if (calls.run(way) == expected)
    findings.passed("M3", "each call may come from another thread");
  else
    findings.failed("M3", "gives other results when each call comes from another thread");
  check_two_streams(calls, findings, expected);
}

}  // namespace zz::host
