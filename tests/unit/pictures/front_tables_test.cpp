#include "plugins/pictures/front_tables.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/multicore/schedule/schedule.hpp"
#include "tests/unit/worlds/schedules.hpp"

using namespace zz::plugins;

namespace zz::core {
namespace {

SchedulePoint point(double latency, double energy) {
  SchedulePoint made;
  made.what = "net on chip";
  made.latency = latency;
  made.energy = energy;
  return made;
}

}  // namespace

TEST_CASE("a point is best when no other one is as good in both figures") {
  const VegaTables made = front_tables({point(10, 5), point(12, 5), point(8, 7), point(11, 6)}, "");
  std::vector<bool> best;
  for (const auto& row : made["points"]) best.push_back(row["best"]);
  CHECK(best == std::vector<bool>{true, false, true, false});
  CHECK(made["points"][3]["point"] == 4);
}

TEST_CASE("a bound and a title that not all points share are those of no picture") {
  std::vector<SchedulePoint> points{point(10, 5), point(8, 7)};
  for (SchedulePoint& one : points) one.bounds = {6, 4, 30};
  CHECK(front_tables(points, "two")["search"][0] == VegaTables{{"title", "net on chip"},
                                                               {"subtitle", "two"},
                                                               {"figure", "latency"},
                                                               {"bound", 6},
                                                               {"energy_bound", 4},
                                                               {"edp_bound", 30}});
  points[1].bounds.latency = 7;
  points[1].what = "net on other chip";
  const VegaTables made = front_tables(points, "two");
  CHECK(made["search"][0]["bound"] == 0);
  CHECK(made["search"][0]["energy_bound"] == 4);
  CHECK(made["search"][0]["title"] == "2 schedules");
  CHECK(made["points"][1]["bound"] == 7);
}

TEST_CASE("the point of a schedule names the cut and the cores of each layer") {
  Schedule schedule = test::small_schedule();
  schedule.latency_bound = 40;
  const Evaluation evaluation = schedule_evaluation(std::move(schedule));
  const SchedulePoint made = point_of_schedule(evaluation, {}, "schedule.html");
  CHECK(made.what == "two layers on two cores");
  CHECK(made.latency == 54);
  CHECK(made.bounds.latency == 40);  // of its own cuts: no other is known
  CHECK(point_of_schedule(evaluation, {30, 0, 0}, "").bounds.latency == 30);
  REQUIRE(made.layers.size() == 2);
  CHECK(made.layers[0] == std::pair<std::string, std::string>{"0: first", "whole, core 0"});
  CHECK(made.nodes == 2);
}

TEST_CASE("in the steady state a point is the period, beside the bound of the period") {
  Schedule schedule = test::small_schedule();
  schedule.latency_bound = 30;
  schedule.period = 40;
  const Evaluation evaluation = schedule_evaluation(std::move(schedule));
  const SchedulePoint made = point_of_schedule(evaluation, {}, "");
  CHECK(evaluation.latency_total2 == 54);
  CHECK(made.latency == 40);
  CHECK(made.bounds.latency == 30);
  CHECK(front_tables({made}, "")["search"][0]["figure"] == "period");
  CHECK(front_tables({made}, "")["points"][0]["steady"] == true);
  CHECK(front_tables({made, point(54, 1)}, "")["search"][0]["figure"] == "latency or period");
}

}  // namespace zz::core
