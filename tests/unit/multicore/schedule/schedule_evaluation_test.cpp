#include <doctest/doctest.h>

#include "core/multicore/schedule/schedule.hpp"
#include "plugins/pictures/labels.hpp"
#include "tests/unit/worlds/evaluations.hpp"
#include "tests/unit/worlds/schedules.hpp"

using namespace zz::plugins;

namespace zz::core {
namespace {

TEST_CASE("a schedule becomes an evaluation with its figures") {
  const Evaluation evaluation = schedule_evaluation(test::small_schedule());
  CHECK_FALSE(evaluation.is_sum());
  CHECK(evaluation.energy_total == 10);
  CHECK(evaluation.latency_total0 == 54);
  CHECK(evaluation.latency_total1 == 54);
  CHECK(evaluation.latency_total2 == 54);
  CHECK(evaluation.mac_energy == 4);
  CHECK(evaluation.mem_energy == 6);
  CHECK(evaluation.layer_ids == std::vector<std::int64_t>{0, 5});
  // 2 x 256 operations on 16 units; core 1 has 18 cycles of work, core 0 15.
  CHECK(evaluation.ideal_cycle == 32);
  CHECK(evaluation.ideal_temporal_cycle == 18);
  CHECK(evaluation.mac_utilization2() == doctest::Approx(32.0 / 54));
  CHECK(result_names({std::make_shared<Evaluation>(evaluation)}).front() == "schedule of 2 layers");
}

TEST_CASE("nodes, transfers and removals say what they are") {
  const Evaluation evaluation = schedule_evaluation(test::small_schedule());
  const Schedule& schedule = *evaluation.schedule;
  CHECK(schedule.nodes[1].layer == 5);
  CHECK(schedule.nodes[1].sub_id == 0);
  CHECK(schedule.transfers[0].bits == 640);
  CHECK(schedule.removals[0].bits == 128);
}

TEST_CASE("a sum of schedules has their figures and no schedule") {
  const Evaluation one = schedule_evaluation(test::small_schedule());
  Evaluation layer = *test::evaluation();
  const Evaluation sum = add(add(add(Evaluation(), one), one), layer);
  CHECK(sum.schedule == nullptr);
  CHECK(sum.is_sum());
  CHECK(sum.energy_total == 23);
  CHECK(sum.latency_total2 == 54 + 54 + 16);
  CHECK(sum.layer_ids == std::vector<std::int64_t>{0, 5, 0, 5, 3});
}

TEST_CASE("a repeated schedule is no schedule") {
  const Evaluation thrice = scale(schedule_evaluation(test::small_schedule()), 3);
  CHECK(thrice.schedule == nullptr);
  CHECK(thrice.energy_total == 30);
  CHECK(thrice.latency_total2 == 162);
  CHECK(thrice.layer_ids == std::vector<std::int64_t>{0, 5});
}

TEST_CASE("a schedule without graph and costs is an evaluation all the same") {
  Schedule schedule;
  schedule.latency = 7;
  schedule.energy = 3;
  const Evaluation evaluation = schedule_evaluation(std::move(schedule));
  CHECK(evaluation.latency_total2 == 7);
  CHECK(evaluation.mem_energy == 3);
  CHECK(evaluation.layer_ids.empty());
}

}  // namespace
}  // namespace zz::core
