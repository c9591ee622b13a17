// Tiles that do not divide their loop, in proofs: against every chain that can be enumerated.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <initializer_list>
#include <memory>
#include <random>
#include <vector>

#include "core/cost/tiles_below.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/temporal/mapping_check.hpp"
#include "core/search/temporal/tile_lengths.hpp"
#include "tests/unit/search/optimal/brute_force.hpp"
#include "tests/unit/search/optimal/random_problems.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// Loops with few divisors, on machines of two and three memories.
MappingProblem small_problem(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::initializer_list<std::int64_t> values) {
    return *(values.begin() + random() % values.size());
  };
  const MappingProblem machine = random_problem(seed);
  Layer layer = random() % 3 == 0 ? convolution(pick({2, 3}), 1, pick({2, 3}), pick({1, 2}), 1)
                                  : gemm(pick({5, 7}), pick({2, 3}), pick({2, 3}));
  layer.mapping.memory_operands = machine.layer->mapping.memory_operands;
  return unrolled_problem(layer, machine.accelerator, {}, {});
}

struct Gains {
  int found = 0, gained = 0;
};

void check_legal(const MappingProblem& problem, const CompactMapping& mapping, double energy) {
  const TemporalMapping found = readable(mapping, *problem.layer, *problem.fractional);
  MappingCheck(*problem.layer, *problem.accelerator, *problem.fractional, problem.options.rules)
      .check(found);
  const CostModel model = model_of(problem);
  CHECK(model.score(model.compact(found)).energy_total == doctest::Approx(energy).epsilon(1e-9));
}

void check_against_every_chain(std::uint32_t seed, Gains& gains) {
  CAPTURE(seed);
  const MappingProblem problem = small_problem(seed);
  const BruteForce everything = try_every_chain(problem), dividing = try_everything(problem);
  for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp}) {
    const auto at = static_cast<std::size_t>(objective);
    CAPTURE(at);
    if (everything.least[at] == infinite) continue;
    ++gains.found;
    const Certificate best = find_optimal_mapping(problem, {.objective = objective, .chains = true});
    CHECK(best.value == doctest::Approx(everything.least[at]).epsilon(1e-9));
    CHECK(best.gap() == 0);
    const Score score = model_of(problem).score(best.mapping);
    check_legal(problem, best.mapping, score.energy_total);
    gains.gained += everything.least[at] < dividing.least[at] * (1 - 1e-9) ? 1 : 0;
    if (objective == Objective::edp) continue;
    // The same where the unrolling is prescribed: nothing is unrolled.
    JointOptions options;
    options.objective = objective;
    options.tiles = Tiles::chains;
    Layer layer = *problem.layer;
    for (const ArrayDimension& dimension : problem.accelerator->array.dimensions)
      layer.mapping.spatial_mapping.dimensions.push_back({dimension.name, {}});
    const JointOptimum pair = find_joint_optimum(layer, problem.accelerator, options);
    CHECK(pair.chains);
    CHECK(pair.certificate.value == doctest::Approx(everything.least[at]).epsilon(1e-9));
    CHECK(pair.certificate.gap() == 0);
  }
}

}  // namespace

TEST_CASE("chains: what is proven best is best of every chain of tiles") {
  Gains gains;
  for (std::uint32_t seed = 0; seed < daily(2U, 60U); ++seed) check_against_every_chain(seed, gains);
  CHECK(gains.found > daily(3, 120));
  CHECK(gains.gained > daily(0, 20));
}

TEST_CASE("chains: never worse than tiles that divide, also where a limit ends the search") {
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    CAPTURE(seed);
    const MappingProblem problem = small_problem(seed);
    for (const std::uint64_t states : {20U, 200U, 2000U}) {
      JointOptions options;
      options.limits.states = states;
      Layer layer = *problem.layer;
      layer.mapping.spatial_mapping = {};
      try {
        const JointOptimum dividing = find_joint_optimum(layer, problem.accelerator, options);
        options.tiles = Tiles::chains;
        const JointOptimum chains = find_joint_optimum(layer, problem.accelerator, options);
        CHECK(chains.certificate.value <= dividing.certificate.value);
        if (!chains.chains) CHECK(chains.certificate.lower_bound == dividing.certificate.lower_bound);
      } catch (const NoResult&) {
      }
    }
  }
}

TEST_CASE("chains: nothing is said of them where they cannot compete") {
  Layer layer = *small_problem(0).layer;
  JointOptions options;
  options.tiles = Tiles::chains;
  options.model.rules = rules_of("zigzag-3.8.5");
  CHECK(!find_joint_optimum(layer, small_problem(0).accelerator, options).chains);
}

TEST_CASE("chains: lengths have all tiles of short loops, and of long ones the smallest of each number") {
  const auto has = [](std::int64_t rounds, std::int64_t tile) {
    const std::vector<std::int64_t> lengths = tile_lengths(rounds);
    return rounds % tile == 0 || std::any_of(lengths.begin(), lengths.end(),
                                             [&](std::int64_t length) { return length % tile == 0; });
  };
  for (std::int64_t rounds = 2; rounds <= 16; ++rounds)
    for (std::int64_t tile = 2; tile < rounds; ++tile) CHECK(has(rounds, tile));
  for (const std::int64_t rounds : {27, 49, 58, 77, 197})
    for (std::int64_t tiles = 2; tiles < rounds; ++tiles) {
      CAPTURE(rounds);
      CAPTURE(tiles);
      CHECK(has(rounds, (rounds - 1) / tiles + 1));
    }
  CHECK(tile_lengths(2).empty());
  CHECK(tile_lengths(4).size() == 1);  // 3 of 4
  // Divisors of 24 are close together.
  CHECK(chain_lengths({{0, 24}, {1, 1000}}, 2).empty());
  CHECK(!chain_lengths({{0, 24}, {1, 1009}}, 2).empty());
}

TEST_CASE(
    "joint optimum: where a limit left more unproven, the proof over fewer is told, and of what it is") {
  JointOptimum optimum;
  optimum.certificate.value = 100;
  optimum.certificate.lower_bound = 10;
  optimum.chains = true;
  CHECK(as_proven(optimum, 0).certificate.lower_bound == 10);
  optimum.narrower = {99.5, true, false};
  const JointOptimum within = as_proven(optimum, 0.01);
  CHECK(within.certificate.lower_bound == 99.5);
  CHECK(within.even);
  CHECK(!within.chains);
  // It proves no more of the result than the other one does.
  CHECK(as_proven(optimum, 0).certificate.lower_bound == 10);
  CHECK(as_proven(optimum, 0).chains);
}

TEST_CASE("joint optimum: a pair outside of fewer mappings is proven against these, in either figure") {
  JointOptimum optimum;
  optimum.certificate.value = 100;
  optimum.certificate.lower_bound = 10;
  optimum.narrower = {120, true, false};  // none of these has less than 120
  JointOptimum second = optimum;
  optimum.second = std::make_shared<const JointOptimum>(second);
  const JointOptimum both = as_proven(optimum, 0);
  CHECK(both.certificate.lower_bound == 100);
  CHECK(both.even);
  CHECK(both.second->certificate.lower_bound == 100);
  CHECK(both.second->even);

  optimum.certificate.lower_bound = 100;
  const JointOptimum other = as_proven(optimum, 0);
  CHECK(!other.even);
  CHECK(other.second->even);
  CHECK(other.second->certificate.lower_bound == 100);
}
