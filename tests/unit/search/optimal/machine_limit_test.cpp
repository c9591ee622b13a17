// What limits a layer on its machine, whichever mapping is kept.
#include "core/search/optimal/machine_limit.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "tests/unit/worlds/hand_example.hpp"
#include "tests/unit/worlds/random_problems.hpp"
#include "tests/unit/worlds/thorough.hpp"

namespace {

using namespace zz::core;
using namespace zz::test;

double floor_of(const MachineLimit& limit, const std::string& limiter) {
  for (const MachineLimit::Floor& floor : limit.floors)
    if (floor.limiter == limiter) return floor.cycles;
  return 0;
}

}  // namespace

TEST_CASE("machine limit: of a matrix product worked out by hand") {
  // B 4, K 6, C 8 on four units: 48 steps with B on them. W, I of 8 bits and O of 8 pass dram's 8 bits
  // once.
  const Evaluation evaluation = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  const MachineLimit limit = machine_limit(evaluation);
  CHECK(floor_of(limit, "units") == 48);
  CHECK(floor_of(limit, "dram.rw_port_1") == 6 * 8 + 4 * 8 + 4 * 6);
  CHECK(limit.floors.front().limiter == "dram.rw_port_1");
  CHECK(limit.latency == evaluation.latency_total2);
  CHECK(limit.units_used == 1);
}

TEST_CASE("machine limit: found once for all mappings of a layer, each of which keeps its latency") {
  MachineLimits limits;
  const Evaluation first = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  // More machines than are remembered come between.
  for (int other = 0; other < 20; ++other) {
    Evaluation slower = first, elsewhere = evaluated(narrow_dram(), product_by_hand(), order_by_hand),
               repeated = first;
    slower.latency_total2 += other;
    repeated.times = 3;
    for (const Evaluation& evaluation : {first, slower, elsewhere, repeated}) {
      const MachineLimit found = limits.of(evaluation), alone = machine_limit(evaluation);
      CHECK(words_of(found) == words_of(alone));
      CHECK(found.latency == alone.latency);
      REQUIRE(found.floors.size() == alone.floors.size());
      for (std::size_t i = 0; i < found.floors.size(); ++i)
        CHECK(found.floors[i].cycles == alone.floors[i].cycles);
    }
    Evaluation typical;
    typical.typical = std::make_shared<const Evaluation>(first);
    typical.latency_total2 = 10 * first.latency_total2;
    CHECK(limits.of(typical).floors.front().cycles == machine_limit(typical).floors.front().cycles);
  }
}

TEST_CASE("machine limit: nothing gets below what is no matter of the unrolling") {
  RandomProblems random;
  int compared = 0;
  for (int trial = 0; trial < daily(25, 200); ++trial) {
    const Layer layer = random.layer();
    const auto accelerator = std::make_shared<const Accelerator>(random.accelerator());
    JointOptions options;
    options.objective = Objective::latency;
    options.mixed = true;
    try {
      const JointOptimum optimum = find_joint_optimum(layer, accelerator, options);
      const Evaluation evaluation =
          model_of(optimum.problem)
              .evaluate(std::make_shared<const TemporalMapping>(readable(
                  optimum.certificate.mapping, *optimum.problem.layer, *optimum.problem.fractional)));
      const MachineLimit limit = machine_limit(evaluation);
      REQUIRE(limit.known());
      for (const MachineLimit::Floor& floor : limit.floors) {
        CAPTURE(floor.limiter);
        CHECK(floor.cycles <= optimum.latency * (1 + 1e-9));
      }
      CHECK(limit.units_used <= 1 + 1e-9);
      ++compared;
    } catch (const NoResult&) {
    }
  }
  CHECK(compared > daily(6, 50));
}

TEST_CASE("machine limit: words") {
  MachineLimit limit;
  CHECK(words_of(limit) == "not known");
  limit.latency = 100;
  limit.floors = {{"hbm.rw_port_1", 99, false}, {"units", 50, false}};
  CHECK(words_of(limit) == "hbm rw_port_1 99 %");
  limit.floors = {{"units", 97, false}, {"hbm.rw_port_1", 50, false}};
  CHECK(words_of(limit) == "units 97 %");
  limit.units_used = 0.25;
  limit.used = {{"D1", "K 64", 64, 128}, {"D2", "C 64", 64, 128}, {"D3", "OX 4", 4, 4}};
  CHECK(words_of(limit) == "units 25 % used: K 64 of 128, C 64 of 128");
  limit.floors = {{"hbm.rw_port_1", 98, false}, {"units", 96, false}};
  CHECK(words_of(limit) == "hbm rw_port_1 98 %, units 25 % used: K 64 of 128, C 64 of 128");
  limit.floors = {{"units", 61, false}, {"hbm.rw_port_1", 58, false}, {"vmem.r_port_1", 20, false}};
  CHECK(words_of(limit) == "units 61 %, hbm rw_port_1 58 %");
  limit.floors = {{"units", 20, false}, {"hbm.rw_port_1", 10, false}};
  CHECK(words_of(limit) == "several: units 20 %, hbm rw_port_1 10 %");
}

TEST_CASE("machine limit: none where a latency may be shorter than what must pass") {
  Evaluation fused = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  fused.fused.emplace();
  CHECK_FALSE(machine_limit(fused).known());
  CostModelOptions of_others;
  of_others.rules.faster_than_ports = true;
  CHECK_FALSE(machine_limit(evaluated(narrow_dram(), product_by_hand(), order_by_hand, of_others)).known());
  CHECK_FALSE(machine_limit(Evaluation{}).known());
}

TEST_CASE("machine limit: of layers together floors are added up") {
  const MachineLimit one = machine_limit(evaluated(narrow_dram(), product_by_hand(), order_by_hand));
  const std::vector<MachineLimit> both = {one, one};
  const MachineLimit sum = sum_of(both);
  CHECK(sum.latency == 2 * one.latency);
  CHECK(floor_of(sum, "units") == 2 * floor_of(one, "units"));
  const std::vector<MachineLimit> one_unknown = {one, MachineLimit{}};
  CHECK_FALSE(sum_of(one_unknown).known());
}
