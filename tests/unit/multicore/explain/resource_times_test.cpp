#include "core/multicore/explain/resource_times.hpp"

#include <doctest/doctest.h>
#include <numeric>

#include "tests/unit/worlds/recorded_schedules.hpp"
#include "tests/unit/worlds/schedules.hpp"

namespace zz::core {
namespace {

double cycles(const ResourceTime& time, TimeUse use) { return time.cycles[static_cast<int>(use)]; }

double sum(const ResourceTime& time) {
  return std::accumulate(time.cycles.begin(), time.cycles.end(), 0.0);
}

}  // namespace

TEST_CASE("where the cycles of a schedule go that was followed by hand") {
  const test::TinySchedule tiny;
  const std::vector<ResourceTime> times = resource_times(tiny.schedule);
  REQUIRE(times.size() == 4);
  CHECK(times[0].label == "core 0");
  CHECK(cycles(times[0], TimeUse::constants_coming) == 9);
  CHECK(cycles(times[0], TimeUse::computing) == 20);
  CHECK(cycles(times[0], TimeUse::nothing_left) == 46);
  CHECK(cycles(times[1], TimeUse::earlier_nodes) == 29);
  CHECK(cycles(times[1], TimeUse::data_coming) == 10);
  CHECK(cycles(times[1], TimeUse::computing) == 30);
  CHECK(cycles(times[1], TimeUse::nothing_left) == 6);
  CHECK(times[2].link);
  CHECK(cycles(times[2], TimeUse::earlier_nodes) == 29);
  CHECK(cycles(times[2], TimeUse::carrying_data) == 10);
  CHECK(cycles(times[3], TimeUse::carrying_constants) == 12);
  CHECK(cycles(times[3], TimeUse::earlier_nodes) == 57);
  CHECK(cycles(times[3], TimeUse::writing_back) == 6);
}

TEST_CASE("a core waits for the links while they carry what others need") {
  test::TinySchedule tiny;
  // The constants of core 1 come first.
  tiny.schedule.transfers[test::TinySchedule::send_w1].start = 0;
  tiny.schedule.transfers[test::TinySchedule::send_w1].end = 3;
  tiny.schedule.transfers[test::TinySchedule::send_w0].start = 3;
  tiny.schedule.transfers[test::TinySchedule::send_w0].end = 8;
  tiny.schedule.transfers[test::TinySchedule::send_i0].start = 8;
  tiny.schedule.transfers[test::TinySchedule::send_i0].end = 12;
  tiny.schedule.nodes[0].start = 14;
  tiny.schedule.nodes[0].end = 29;
  const ResourceTime core = resource_times(tiny.schedule)[0];
  CHECK(cycles(core, TimeUse::busy_links) == 3);
  CHECK(cycles(core, TimeUse::constants_coming) == 9);
  CHECK(cycles(core, TimeUse::memory) == 2);
  CHECK(sum(core) == tiny.schedule.latency);
}

TEST_CASE("while a node runs, the array computes, stalls, or gets its streams slowly") {
  Schedule schedule = test::small_schedule();
  schedule.nodes[0].start = 13;  // one cycle more than its cost
  const ResourceTime core = resource_times(schedule)[0];
  CHECK(cycles(core, TimeUse::computing) == 15);
  CHECK(cycles(core, TimeUse::stalling) == 1);
  CHECK(cycles(core, TimeUse::slow_streams) == 1);
}

TEST_CASE("the times of each resource add up to the latency") {
  for (const ResourceTime& time : resource_times(test::small_schedule())) {
    CAPTURE(time.label);
    CHECK(sum(time) == 54);
  }
  int made = 0;
  for (const std::string& name : test::recorded_case_names()) {
    const test::RecordedCase recorded = test::recorded_case_of_schedules(name);
    for (const bool as_stream : {false, true}) {
      const auto problem = recorded.problem(as_stream);
      Scheduler scheduler(problem);
      ScheduleChoice choice;
      for (const Gene& gene : problem->genes()) choice.cores.push_back(gene.cores.front());
      if (!scheduler.evaluate(choice).feasible) continue;
      const Schedule schedule = scheduler.schedule(choice);
      for (const ResourceTime& time : resource_times(schedule)) {
        CAPTURE(name);
        CAPTURE(time.label);
        CHECK(sum(time) == doctest::Approx(schedule.latency).epsilon(1e-12));
        for (const double part : time.cycles) CHECK(part >= 0);
      }
      ++made;
    }
  }
  MESSAGE(made << " recorded cases");
}

}  // namespace zz::core
