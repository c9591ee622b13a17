#include "core/multicore/schedule/schedule_deviations.hpp"

#include <doctest/doctest.h>

#include "tests/unit/worlds/schedules.hpp"

namespace zz::test {
namespace {

using namespace core;

/// Nodes that need weights of 6400 bits, which take 100 cycles and are listed already in Stream.
ProblemSketch with_prefetch() {
  constexpr int output = ProblemSketch::o, weight = ProblemSketch::w, input = ProblemSketch::i;
  ProblemSketch sketch(2, 1 << 20);
  sketch.graph->name = "network";
  sketch.options.prefetch = {"W"};
  sketch.layer({weight, input});
  sketch.cost(0, 10);
  const int weights = sketch.tensor(weight, 6400, 1);
  sketch.node({sketch.tensor(output, 64, 0), weights, sketch.tensor(input, 0, 1)});
  return sketch;
}

}  // namespace

TEST_CASE("schedule deviations: by how much a schedule differs from Stream's of the same cores") {
  ProblemSketch sketch = with_prefetch();
  const double physical = sketch.schedule(false).latency, as_stream = sketch.schedule(true).latency;
  REQUIRE(physical > as_stream);
  const auto found = find_deviations(*sketch.problem(false), ScheduleChoice{}, sketch.schedule(false));
  REQUIRE(found.size() == 1);
  CHECK(found[0]->of_schedule);
  REQUIRE(found[0]->found.size() == 1);
  CHECK(found[0]->found[0].rule == "Schedules");
  CHECK(found[0]->found[0].latency == doctest::Approx(physical / as_stream - 1));
}

TEST_CASE("schedule deviations: by how much the ports of a simd core move a schedule") {
  ProblemSketch sketch = sum_on_simd_core();
  const Schedule schedule = sketch.schedule(false);
  const auto found = find_deviations(*sketch.problem(false), ScheduleChoice{}, schedule);
  REQUIRE(found.size() == 1);
  CHECK(found[0]->layer == "sum");
  CHECK(found[0]->of_schedule);
  REQUIRE_FALSE(found[0]->found.empty());
  CHECK(found[0]->found[0].member == &Rules::simd_transfers_free);
  CHECK(found[0]->found[0].energy == 0);
  CHECK(found[0]->found[0].latency == doctest::Approx(schedule.latency / (schedule.latency - 20) - 1));
}

TEST_CASE("schedule deviations: none by Stream's own rules") {
  ProblemSketch sketch = with_prefetch();
  CHECK(find_deviations(*sketch.problem(true), ScheduleChoice{}, sketch.schedule(true)).empty());
}

}  // namespace zz::test
