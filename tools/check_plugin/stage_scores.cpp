#include <array>
#include <cstring>
#include <fmt/format.h>

#include "core/value/edit.hpp"
#include "core/value/name.hpp"
#include "core/value/read.hpp"
#include "host/values/handles.hpp"

#include "tools/check_plugin/sample_values.hpp"
#include "tools/check_plugin/stage_checks.hpp"

namespace zz::host {
namespace {

constexpr const char* vary = "temporal_mapping";
constexpr std::array metrics = {"energy_total", "latency_total2"};

/// The mapping of the example, and the same with its loops in other orders.
std::vector<core::Value> rows() {
  const core::Value mapping = *sample_object(vary);
  const auto swapped = [&](int a, int b) {
    const auto loop = [](int i) { return core::intern(fmt::format("loops[{}]", i)); };
    const auto part = [&](int i) { return core::held_part(mapping, core::part(mapping.ref(), loop(i))); };
    const std::vector<core::Edit> edits = {{loop(a), part(b)}, {loop(b), part(a)}};
    return core::with(mapping, edits);
  };
  return {mapping, swapped(0, 1), swapped(2, 4), mapping};
}

/// The metrics of each row as opening and pulling give them, column by column; false when that fails.
bool metrics_by_opening(StageCalls& calls, const std::vector<core::Value>& all, std::vector<double>& out) {
  zz_stage* stage = nullptr;
  if (calls.create(stage).status != ZZ_OK || stage == nullptr) return false;
  out.assign(metrics.size() * all.size(), 0);
  bool good = true;
  for (std::size_t i = 0; i < all.size() && good; ++i) {
    ContextEntries context = calls.setup().context;
    context.emplace_back(core::intern(vary), all[i]);
    zz_value* handle = new_handle(make_context(std::move(context)));
    zz_stream stream{};
    good = calls.open(stage, handle, stream).status == ZZ_OK;
    release(handle);
    if (!good) break;
    zz_result result{};
    std::uint32_t count = 0;
    good =
        calls.call("pull", [&](zz_error* error) { return stream.pull(&stream, &result, 1, &count, error); })
                .status == ZZ_OK &&
        count == 1 && result.evaluation != nullptr;
    for (std::size_t j = 0; good && j < metrics.size(); ++j)
      core::read_f64(core::part(result.evaluation->value.ref(), core::intern(metrics[j])),
                     out[j * all.size() + i]);
    if (good) {
      calls.host().ledger.take(result.evaluation, "gives away");
      calls.host().ledger.take(result.extra, "gives away");
      release(result.evaluation);
      release(result.extra);
    }
    calls.close(stream);
  }
  calls.destroy(stage);
  return good;
}

void compare(StageCalls& calls, Findings& findings, zz_stage* stage, const zz_stage_score& ability) {
  const std::vector<core::Value> all = rows();
  std::vector<double> expected;
  if (!metrics_by_opening(calls, all, expected)) return;
  std::vector<zz_name> names;
  for (const char* metric : metrics) names.push_back(core::intern(metric));
  zz_value* context = new_handle(make_context(calls.setup().context));
  calls.host().ledger.lend(context);
  zz_stage_scorer* scorer = nullptr;
  const Called bound = calls.call("bind of its scorer", [&](zz_error* error) {
    return ability.bind(stage, context, core::intern(vary), names.data(),
                        static_cast<std::uint32_t>(names.size()), &scorer, error);
  });
  if (bound.status != ZZ_OK || scorer == nullptr) {
    findings.unchecked("D2",
                       "its scorer does not take the made-up rows: " +
                           (bound.failure != nullptr ? bound.failure->message : std::string("none given")));
  } else {
    const core::Value list = core::Value::list(all);
    std::vector<double> scores(expected.size());
    const Called scored = calls.call("score", [&](zz_error* error) {
      return ability.score(scorer, to_abi(list.ref()), 0, static_cast<std::uint32_t>(all.size()),
                           scores.data(), error);
    });
    ability.unbind(scorer);
    const bool same = std::memcmp(scores.data(), expected.data(), scores.size() * sizeof(double)) == 0;
    if (scored.status != ZZ_OK)
      findings.unchecked("D2", "its scorer fails over the made-up rows: " + scored.failure->message);
    else if (same)
      findings.passed("D2",
                      fmt::format("scores of {} rows are what opening and pulling gives", all.size()));
    else
      findings.failed("D2", "scores differ from what opening and pulling gives");
  }
  calls.host().ledger.end_loan(context);
  release(context);
}

}  // namespace

void check_scores(StageCalls& calls, Findings& findings) {
  if (calls.stage().get_extension == nullptr) return;
  calls.host().below.begin(Plan{});
  zz_stage* stage = nullptr;
  if (calls.create(stage).status != ZZ_OK || stage == nullptr) return;
  findings.doing("get_extension");
  const void* ability = calls.stage().get_extension(stage, ZZ_STAGE_SCORE);
  if (ability != nullptr && (calls.stage().flags & ZZ_STAGE_LEAF) != 0)
    compare(calls, findings, stage, *static_cast<const zz_stage_score*>(ability));
  calls.destroy(stage);
  calls.host().ledger.settle("after destroy");
}

}  // namespace zz::host
