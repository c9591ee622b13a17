#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/temporal/mapping_check.hpp"
#include "tests/unit/search/optimal/against_everything.hpp"
#include "tests/unit/search/optimal/random_problems.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

constexpr MemoryKeys each_key[] = {{.overlap = true},      {.tile_interval = true}, {.line = true},
                                   {.shared_tiles = true}, {.request = true},       {.efficiency = true}};
constexpr MemoryKeys all_keys = {true, true, true, true, true, true};

/// The bound without a search is none above the best of temporal mappings.
void check_spatial_bound(const MappingProblem& problem) {
  for (const Objective objective : {Objective::energy, Objective::latency}) {
    const Certificate best = find_optimal_mapping(problem, {.objective = objective});
    CHECK(bound_of(SpatialBounds(objective).of(problem), objective) <= best.value * (1 + 1e-9));
  }
}

/// LOMA's allocations keep to the rules, and are no better than the optimum.
int check_loma(const MappingProblem& problem) {
  const double least = find_optimal_mapping(problem, {.objective = Objective::latency}).value;
  const MappingCheck check(*problem.layer, *problem.accelerator, *problem.fractional, {});
  const CostModel model(problem.accelerator, problem.layer, problem.fractional, problem.integral, {});
  Loma orders(problem.layer, problem.accelerator, problem.fractional, {.factor_limit = 5});
  CompactMappings batch;
  int found = 0;
  for (orders.next(batch, 64); !batch.rows.empty(); orders.next(batch, 64)) {
    for (std::size_t row = 0; row < batch.rows.size(); row += 7, ++found) {
      const auto mapping = std::make_shared<const TemporalMapping>(batch.mapping(row));
      check.check(*mapping);
      CHECK(model.evaluate(mapping).latency_total2 >= least * (1 - 1e-9));
    }
  }
  return found;
}

void check_keys(const MemoryKeys& keys, std::uint32_t first, std::uint32_t end, bool of_array = false) {
  Tally tally;
  int of_loma = 0;
  for (std::uint32_t seed = first; seed < end; ++seed) {
    CAPTURE(seed);
    MappingProblem problem = problem_with_keys(seed, keys);
    if (of_array) problem = with_array_keys(problem, ArrayKeys::both, seed);
    check_against_everything(problem, tally);
    try {
      check_spatial_bound(problem);
      of_loma += check_loma(problem);
    } catch (const NoResult&) {
      continue;
    }
  }
  CHECK(tally.proven == tally.feasible);
  CHECK(tally.feasible > 3 * static_cast<int>(end - first));
  CHECK(of_loma > static_cast<int>(end - first));
}

}  // namespace

TEST_CASE("optimum: with each key of memories, what is proven best is best of everything") {
  for (const MemoryKeys& keys : each_key) {
    CAPTURE(&keys - each_key);
    check_keys(keys, 0, daily(3U, 12U));
  }
}

TEST_CASE("optimum: with efficiencies of ports and array, what is proven best is best of everything") {
  check_keys({.efficiency = true}, 12, daily(15U, 60U));
  check_keys({.efficiency = true}, 60, daily(62U, 80U), true);
}

TEST_CASE("optimum: with requests of every port, what is proven best is best of everything") {
  check_keys({.request = true}, 12, daily(14U, 24U));
}

TEST_CASE("optimum: with all keys of memories together, what is proven best is best of everything") {
  check_keys(all_keys, 0, daily(4U, 24U));
}

TEST_CASE("optimum: with all keys of memories and arrays, what is proven best is best of everything") {
  check_keys(all_keys, 24, daily(27U, 40U), true);
}
