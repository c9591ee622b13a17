#include <cmath>
#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "tests/unit/worlds/recorded_schedules.hpp"

// Everything that Stream 0.0.8 is known to schedule, in all its detail.
namespace zz::test {
namespace {

using namespace core;
using nlohmann::json;

bool nearly_same(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

void check_figures(Scheduler& scheduler, const ScheduleChoice& choice, double latency, double energy) {
  const ScheduleFigures figures = scheduler.evaluate(choice);
  REQUIRE(figures.feasible);
  CHECK(figures.latency == latency);
  CHECK_MESSAGE(nearly_same(figures.energy, energy), figures.energy, " pJ instead of ", energy);
}

}  // namespace

TEST_CASE("recorded schedules are made again to the last entry of every list") {
  const std::vector<std::string> names = recorded_case_names();
  if (names.empty()) MESSAGE("skipped: no recorded cases beside the checkout");
  int equal = 0, refused = 0;
  for (const std::string& name : names) {
    const RecordedCase recorded = recorded_case_of_schedules(name);
    Scheduler scheduler(recorded.problem(true));
    for (const json& schedule : recorded.schedules) {
      CAPTURE(name);
      CAPTURE(schedule.at("name"));
      const ScheduleChoice choice = recorded.choice(schedule.value("genes", json()));
      if (!schedule.contains("latency")) {
        CHECK(!scheduler.evaluate(choice).feasible);
        CHECK(!scheduler.reason().empty());
        CHECK_THROWS_AS(scheduler.schedule(choice), NoResult);
        ++refused;
        continue;
      }
      const std::string difference = first_difference(scheduler.schedule(choice), schedule);
      CHECK_MESSAGE(difference.empty(), difference);
      check_figures(scheduler, choice, schedule.at("latency"), schedule.at("energy"));
      ++equal;
    }
  }
  if (!names.empty()) MESSAGE(equal, " schedules compared, ", refused, " refused");
}

TEST_CASE("every allocation that a recorded search or enumeration evaluated has its latency and energy") {
  int count = 0;
  for (const std::string& name : recorded_case_names()) {
    const RecordedCase recorded = recorded_case_of_schedules(name);
    if (recorded.searched.empty() && recorded.exhaustive.empty()) continue;
    CAPTURE(name);
    Scheduler scheduler(recorded.problem(true));
    for (const json& entry : recorded.searched) {
      check_figures(scheduler, recorded.choice(entry[0]), entry[2], entry[1]);
      ++count;
    }
    for (const json& entry : recorded.exhaustive) {
      if (entry.size() > 3 && !entry[3].is_null()) {
        CHECK(!scheduler.evaluate(recorded.choice(entry[0])).feasible);
      } else {
        check_figures(scheduler, recorded.choice(entry[0]), entry[1], entry[2]);
      }
      ++count;
    }
  }
  MESSAGE(count, " evaluations compared");
}

}  // namespace zz::test
