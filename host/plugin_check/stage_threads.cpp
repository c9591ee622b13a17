#include <fmt/format.h>

#include "host/plugin_check/stage_checks.hpp"
#include "host/values/handle.hpp"

namespace zz::host {
namespace {

/// Two streams of one stage, pulled in turn, give what each gives alone.
void check_two_streams(StageCalls& calls, Notes& notes, const Trace& alone) {
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
  for (int pulls = 0; (more[0] || more[1]) && pulls < 10000; ++pulls) {
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
    notes.passed("M3", "two streams at a time do not disturb each other");
  else
    notes.failed("M3", fmt::format("two streams of one stage, pulled in turn, give {} and {} results, or "
                                   "other ones, than the {} of one alone",
                                   results[0].size(), results[1].size(), alone.results.size()));
}

}  // namespace

void check_threads(StageCalls& calls, Notes& notes) {
  StageCalls::Way way;
  const Trace expected = calls.run(way);
  if (!expected.opened || !(calls.run(way) == expected)) return;  // nothing to compare with
  calls.host().backwards_loops = true;
  const Trace backwards = calls.run(way);
  calls.host().backwards_loops = false;
  if (backwards == expected)
    notes.passed("M2", "no thread is left running, and loops may run in any order");
  else
    notes.failed("M2", "gives other results when the loops of zz.parallel/0 run from their last index");
  way.on_other_threads = true;
  if (calls.run(way) == expected)
    notes.passed("M3", "each call may come from another thread");
  else
    notes.failed("M3", "gives other results when each call comes from another thread");
  check_two_streams(calls, notes, expected);
}

}  // namespace zz::host
