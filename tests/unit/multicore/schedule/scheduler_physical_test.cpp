#include <doctest/doctest.h>

#include "core/multicore/bound/schedule_bound.hpp"
#include "core/multicore/check/violations.hpp"
#include "tests/unit/worlds/recorded_schedules.hpp"
#include "tests/unit/worlds/thorough.hpp"

// Schedules by the physical rules could happen, whatever the allocation and the order of nodes.
namespace zz::test {
namespace {

using namespace core;
using nlohmann::json;

/// Each rule, with back-filling and with ranks of its own.
std::vector<ScheduleChoice> variants(const ScheduleChoice& allocation, std::size_t layers) {
  std::vector<ScheduleChoice> result;
  for (const DispatchRule rule :
       {DispatchRule::rank, DispatchRule::earliest_start, DispatchRule::critical_path}) {
    ScheduleChoice choice = allocation;
    choice.dispatch = rule;
    result.push_back(choice);
    choice.back_filling = true;
    result.push_back(choice);
    for (std::size_t layer = 0; layer < layers; ++layer) {
      choice.layer_offset.push_back(static_cast<double>(layer * 7 % 5));
      choice.layer_slope.push_back(static_cast<double>(layer % 3));
    }
    result.push_back(choice);
  }
  return result;
}

void check(Scheduler& scheduler, const ScheduleChoice& choice, double bound, int& made) {
  CAPTURE(static_cast<int>(choice.dispatch));
  CAPTURE(choice.back_filling);
  const ScheduleFigures figures = scheduler.evaluate(choice);
  if (!figures.feasible) {
    CHECK(!scheduler.reason().empty());
    return;
  }
  CHECK(figures.latency >= bound);
  const Schedule schedule = scheduler.schedule(choice);
  CHECK(schedule.latency == figures.latency);
  CHECK(schedule.energy == doctest::Approx(figures.energy).epsilon(1e-12));
  for (const Violation& violation : find_violations(schedule, 3)) {
    const std::string text = violation.rule + ": " + violation.what;
    FAIL_CHECK(text);
  }
  ++made;
}

}  // namespace

TEST_CASE("no schedule by the physical rules breaks a rule of physics") {
  int made = 0, variant = 0;
  for (const std::string& name : recorded_case_names()) {
    const RecordedCase recorded = recorded_case_of_schedules(name);
    CAPTURE(name);
    const auto problem = recorded.problem(false);
    const double bound = schedule_bound(*problem);
    Scheduler scheduler(problem);
    for (const json& schedule : recorded.schedules) {
      CAPTURE(schedule.at("name"));
      const ScheduleChoice allocation = recorded.choice(schedule.value("genes", json()));
      for (const ScheduleChoice& choice : variants(allocation, recorded.graph->layers.size())) {
        if (variant++ % daily(10, 1) != 0) continue;  // nine of them: each has its turn
        check(scheduler, choice, bound, made);
      }
    }
  }
  MESSAGE(made, " schedules made");
}

}  // namespace zz::test
