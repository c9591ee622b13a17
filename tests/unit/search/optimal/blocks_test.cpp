// Numbers in blocks: a tile brings the scales of its blocks (core/workload/tile_bits.hpp).
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

/// The bound without a search is none above the best, and LOMA finds nothing better than it.
int check_other_searches(const MappingProblem& problem) {
  for (const Objective objective : {Objective::energy, Objective::latency}) {
    const Certificate best = find_optimal_mapping(problem, {.objective = objective});
    CHECK(bound_of(SpatialBounds(objective).of(problem), objective) <= best.value * (1 + 1e-9));
  }
  const double least = find_optimal_mapping(problem, {.objective = Objective::energy}).value;
  const MappingCheck check(*problem.layer, *problem.accelerator, *problem.fractional, {});
  const CostModel model(problem.accelerator, problem.layer, problem.fractional, problem.integral, {});
  Loma orders(problem.layer, problem.accelerator, problem.fractional, {.factor_limit = 5});
  CompactMappings batch;
  int found = 0;
  for (orders.next(batch, 64); !batch.rows.empty(); orders.next(batch, 64)) {
    for (std::size_t row = 0; row < batch.rows.size(); row += 7, ++found) {
      const auto mapping = std::make_shared<const TemporalMapping>(batch.mapping(row));
      check.check(*mapping);
      CHECK(model.evaluate(mapping).energy_total >= least * (1 - 1e-9));
    }
  }
  return found;
}

}  // namespace

TEST_CASE("optimum: with numbers in blocks, what is proven best is best of everything") {
  for (const bool uneven : {false, true}) {
    Tally tally;
    int others = 0;
    const std::uint32_t end = daily(5U, 300U);
    for (std::uint32_t seed = 0; seed < end; ++seed) {
      CAPTURE(seed);
      CAPTURE(uneven);
      const MappingProblem problem = problem_with_blocks(seed, uneven);
      check_against_everything(problem, tally);
      try {
        others += check_other_searches(problem);
      } catch (const NoResult&) {
        continue;
      }
    }
    CHECK(tally.proven == tally.feasible);
    CHECK(tally.feasible > static_cast<int>(end));
    CHECK(others > static_cast<int>(end) / 2);
  }
}
