// Zeros that arrays skip and memories leave out, in proofs and in costs.
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/cost/audit.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "tests/unit/search/optimal/against_everything.hpp"
#include "tests/unit/search/optimal/random_problems.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// The problem with another layer or machine, and the same unrolling.
MappingProblem changed(const MappingProblem& problem, const Layer& layer, const Accelerator& accelerator) {
  return unrolled_problem(layer, std::make_shared<const Accelerator>(accelerator),
                          problem.layer->mapping.spatial_mapping,
                          {.same_data_free = problem.options.same_data_free});
}

/// Some of LOMA's mappings.
std::vector<std::shared_ptr<const TemporalMapping>> some_mappings(const MappingProblem& problem) {
  std::vector<std::shared_ptr<const TemporalMapping>> some;
  Loma orders(problem.layer, problem.accelerator, problem.fractional, {.factor_limit = 5});
  CompactMappings batch;
  for (orders.next(batch, 64); !batch.rows.empty() && some.size() < 12; orders.next(batch, 64))
    for (std::size_t row = 0; row < batch.rows.size(); row += 17)
      some.push_back(std::make_shared<const TemporalMapping>(batch.mapping(row)));
  return some;
}

Evaluation evaluated(const MappingProblem& problem, const std::shared_ptr<const TemporalMapping>& mapping) {
  return CostModel(problem.accelerator, problem.layer, problem.fractional, problem.integral,
                   problem.options)
      .evaluate(mapping);
}

void check_problems(const MemoryKeys& keys, std::uint32_t first, std::uint32_t end) {
  Tally tally;
  for (std::uint32_t seed = first; seed < end; ++seed) {
    CAPTURE(seed);
    const MappingProblem problem = problem_with_keys(seed, keys);
    check_against_everything(problem, tally);
    for (const Objective objective : {Objective::energy, Objective::latency}) {
      try {
        const Certificate best = find_optimal_mapping(problem, {.objective = objective});
        CHECK(bound_of(SpatialBounds(objective).of(problem), objective) <= best.value * (1 + 1e-9));
      } catch (const NoResult&) {
        continue;
      }
    }
  }
  CHECK(tally.proven == tally.feasible);
  CHECK(tally.feasible > static_cast<int>(end - first));
}

}  // namespace

TEST_CASE("zeros: with what units skip, what is proven best is best of everything") {
  check_problems({.zeros = true}, 0, daily(15U, 200U));
}

TEST_CASE("zeros: with formats of memories, what is proven best is best of everything") {
  check_problems({.formats = true}, 0, daily(12U, 200U));
  check_problems({.zeros = true, .formats = true}, 300, daily(305U, 400U));
}

TEST_CASE("zeros: with efficiencies beside, what is proven best is best of everything") {
  check_problems({.efficiency = true, .zeros = true}, 200, daily(204U, 230U));
}

TEST_CASE("zeros: operands without any cost what they cost on an array that looks for none") {
  for (std::uint32_t seed = 0; seed < daily(20U, 100U); ++seed) {
    CAPTURE(seed);
    const MappingProblem problem = problem_with_keys(seed, {.zeros = true, .formats = true});
    Layer dense = *problem.layer;
    for (OperandSparsity& one : dense.sparsity) one.density = 1;
    Accelerator plain = *problem.accelerator;
    plain.array.on_zero.clear();
    for (Memory& memory : plain.memories) memory.formats.clear();
    const MappingProblem looking = changed(problem, dense, *problem.accelerator);
    const MappingProblem blind = changed(problem, dense, plain);
    for (const auto& mapping : some_mappings(blind)) {
      const Evaluation a = evaluated(looking, mapping), b = evaluated(blind, mapping);
      CHECK(a.energy_total == b.energy_total);
      CHECK(a.latency_total2 == b.latency_total2);
      CHECK(a.latency_total0 == b.latency_total0);
      CHECK(a.mac_energy == b.mac_energy);
    }
  }
}

TEST_CASE("zeros: more of them never cost more where nothing is stored in a format") {
  for (std::uint32_t seed = 0; seed < daily(20U, 100U); ++seed) {
    CAPTURE(seed);
    const MappingProblem problem = problem_with_keys(seed, {.zeros = true});
    for (const auto& mapping : some_mappings(problem)) {
      double energy = std::numeric_limits<double>::infinity(), latency = energy;
      for (int percent = 100; percent >= 0; percent -= 5) {
        Layer layer = *problem.layer;
        layer.sparsity = {{"W", 0.01 * percent}, {"I", 0.2 + 0.008 * percent}};
        const Evaluation now = evaluated(changed(problem, layer, *problem.accelerator), mapping);
        CHECK(now.energy_total <= energy * (1 + 1e-12));
        CHECK(now.latency_total2 <= latency * (1 + 1e-12));
        CHECK(audit(now, AuditScope::all).empty());
        double parts = 0;
        for (const LatencyPart& part : now.latency_parts) parts += part.cycles;
        CHECK(parts == doctest::Approx(now.latency_total2).epsilon(1e-9));
        energy = now.energy_total;
        latency = now.latency_total2;
      }
    }
  }
}
