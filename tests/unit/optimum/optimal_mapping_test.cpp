#include "core/optimum/optimal_mapping.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <random>

#include "core/diagnostics/diagnostics.hpp"
#include "core/mapping/loop_order_search.hpp"
#include "core/mapping/spatial_conversion.hpp"
#include "core/optimum/free_cut_energy.hpp"
#include "core/optimum/free_cut_latency.hpp"
#include "tests/unit/cost/small_problems.hpp"
#include "tests/unit/optimum/brute_force.hpp"

using namespace zz::core;
using namespace zz::test;
using namespace zz::test;

namespace {

MappingProblem problem_of(const Layer& layer, const Accelerator& accelerator, bool zigzag_compat) {
  MappingProblem problem;
  problem.layer = std::make_shared<const Layer>(layer);
  problem.accelerator = std::make_shared<const Accelerator>(accelerator);
  ConvertedSpatialMapping converted = convert_spatial_mapping(layer, accelerator, zigzag_compat);
  problem.fractional = std::make_shared<const SpatialMapping>(std::move(converted.fractional));
  problem.integral = std::make_shared<const SpatialMapping>(std::move(converted.integral));
  problem.options.zigzag_compat = zigzag_compat;
  return problem;
}

/// One port for all transfers of the memory.
void share_port(Memory& memory) {
  Port port = memory.ports.front();
  port.allocation.clear();
  for (const Port& other : memory.ports)
    port.allocation.insert(port.allocation.end(), other.allocation.begin(), other.allocation.end());
  memory.ports = {port};
}

/// Small problems of many kinds: sizes, shared ports, costs, unrollings that divide and that do not.
MappingProblem random_problem(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::vector<std::int64_t> values) { return values[random() % values.size()]; };
  Layer layer = random() % 2
                    ? gemm(pick({2, 4, 6}), pick({2, 4}), pick({2, 3, 4, 6}))
                    : convolution(pick({2, 4}), pick({1, 2}), pick({2, 4}), pick({1, 3}), pick({1, 2}));
  layer.operands[0].precision = pick({8, 16});
  Accelerator accelerator =
      small_accelerator(pick({8, 16, 64}), pick({128, 192, 256, 512, 4096}), pick({8, 16}));
  for (Memory& memory : accelerator.memories) {
    memory.read_cost = static_cast<double>(pick({1, 2, 3, 7}));
    memory.write_cost = static_cast<double>(pick({1, 2, 5}));
    if (random() % 2) share_port(memory);
  }
  if (random() % 2) {
    const std::string first = layer.loops[random() % 2].name;
    const std::int64_t factor = layer.loop_size(first) % 2 == 0 ? 2 : 1;
    if (factor > 1) layer.mapping.spatial_mapping.dimensions = {{"D1", {{first, factor}}}};
  }
  return problem_of(layer, accelerator, random() % 4 == 0);
}

double best_of_loma(const MappingProblem& problem, Objective objective) {
  const SearchProblem tables(problem);
  double best = std::numeric_limits<double>::infinity();
  for (int limit = 1; limit <= 20; ++limit) {
    LoopOrderSearch orders(problem.layer, problem.accelerator, problem.fractional,
                           {.factor_limit = limit, .zigzag_compat = problem.options.zigzag_compat});
    LoopOrderBatch batch;
    for (orders.next(batch, 256); !batch.rows.empty(); orders.next(batch, 256))
      for (const CompactMapping& row : batch.rows) best = std::min(best, tables.value(row, objective));
  }
  return best;
}

}  // namespace

TEST_CASE("optimum: what is proven best is best of everything that can be enumerated") {
  int proven = 0;
  int feasible = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const MappingProblem problem = random_problem(seed);
    CAPTURE(problem.options.zigzag_compat);
    const BruteForce everything = try_everything(problem);
    for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp}) {
      CAPTURE(static_cast<int>(objective));
      const double least = everything.least[static_cast<int>(objective)];
      if (least == std::numeric_limits<double>::infinity()) {
        CHECK_THROWS_AS(find_optimal_mapping(problem, {.objective = objective}), NoResult);
        continue;
      }
      CHECK(find_optimal_mapping(problem, {.objective = objective}).value ==
            doctest::Approx(least).epsilon(1e-9));
      // What large problems need, where nothing can be enumerated.
      const SearchProblem tables(problem);
      Certificate found = find_least_energy(tables, {});
      if (objective != Objective::energy) {
        Certificate start = found;
        start.value = tables.value(start.mapping, objective);
        found = find_least_latency(tables, objective, start, found.lower_bound, {});
      }
      ++feasible;
      CHECK(found.lower_bound <= least * (1 + 1e-9));
      CHECK(found.value >= least * (1 - 1e-9));
      if (found.gap() == 0) ++proven;
      if (objective == Objective::energy) CHECK(found.value == doctest::Approx(least).epsilon(1e-9));
    }
  }
  CHECK(proven * 10 > feasible * 8);
}

TEST_CASE("optimum: LOMA's space is searched to the end, and contains all coarser factors") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const MappingProblem problem = random_problem(seed);
    for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp}) {
      CAPTURE(static_cast<int>(objective));
      const double least = best_of_loma(problem, objective);
      const OptimumOptions options{.objective = objective, .space = MappingSpace::loma};
      if (least == std::numeric_limits<double>::infinity()) {
        CHECK_THROWS_AS(find_optimal_mapping(problem, options), NoResult);
        continue;
      }
      const Certificate found = find_optimal_mapping(problem, options);
      CHECK(found.value == doctest::Approx(least).epsilon(1e-9));
      CHECK(found.gap() == 0);
    }
  }
}
