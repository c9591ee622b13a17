#include "core/optimum/optimal_mapping.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "core/diagnostics/diagnostics.hpp"
#include "core/mapping/loop_order_search.hpp"
#include "core/optimum/every_mapping.hpp"
#include "core/optimum/free_cut_energy.hpp"
#include "core/optimum/free_cut_latency.hpp"
#include "core/optimum/loma_space.hpp"

namespace zz::core {
namespace {

/// The best of LOMA's orders of at most six factors: at most some hundred, and mostly good.
void try_coarse_orders(const SearchProblem& problem, Objective objective, Certificate& best) {
  LoopOrderSearch orders(problem.given.layer, problem.given.accelerator, problem.given.fractional,
                         {.zigzag_compat = problem.given.options.zigzag_compat});
  LoopOrderBatch batch;
  for (orders.next(batch, 256); !batch.rows.empty(); orders.next(batch, 256)) {
    for (const CompactMapping& row : batch.rows) {
      ++best.states;
      const double value = problem.value(row, objective);
      if (!(value < best.value)) continue;
      best.value = value;
      best.mapping = row;
    }
  }
}

Certificate least_by_time(const SearchProblem& problem, Objective objective,
                          const Certificate& least_energy, const SearchLimits& limits) {
  Certificate best;
  best.states = least_energy.states;
  if (least_energy.found()) {
    best.mapping = least_energy.mapping;
    best.value = problem.value(best.mapping, objective);
  }
  constexpr double few = 1e5;
  if (!problem.space.lattice().kinds().empty() && count_every_mapping(problem) <= few) {
    try_every_mapping(problem, objective, best);
    best.lower_bound = best.value;
    return best;
  }
  try_coarse_orders(problem, objective, best);
  return find_least_latency(problem, objective, best, least_energy.lower_bound, limits);
}

}  // namespace

Certificate find_optimal_mapping(const MappingProblem& given, const OptimumOptions& options) {
  const Stopwatch stopwatch;
  const SearchProblem problem(given);
  Certificate least_energy = find_least_energy(problem, options.limits);
  if (!least_energy.found() && least_energy.lower_bound == std::numeric_limits<double>::infinity()) {
    throw NoResult(fmt::format("layer '{}': no order of its temporal loops fits into the memories of '{}'",
                               given.layer->name, given.accelerator->name));
  }
  const auto rest = [&] {
    SearchLimits limits = options.limits;
    limits.seconds -= stopwatch.seconds();
    return limits;
  };
  if (!least_energy.found()) {
    const double bound = least_energy.lower_bound;
    try_coarse_orders(problem, Objective::energy, least_energy);
    least_energy.lower_bound = std::min(bound, least_energy.value);
    if (!least_energy.found()) {
      throw NoResult(fmt::format(
          "layer '{}': no temporal mapping was found within the limits of the search", given.layer->name));
    }
  }
  if (options.objective == Objective::energy && options.space == MappingSpace::free_cuts)
    return least_energy;
  Certificate best = least_energy;
  double least_latency = 0;
  if (options.objective != Objective::energy) {
    best = least_by_time(problem, options.objective, least_energy, rest());
    if (options.space == MappingSpace::free_cuts) return best;
    least_latency = options.objective == Objective::latency
                        ? best.lower_bound
                        : least_by_time(problem, Objective::latency, least_energy, rest()).lower_bound;
  }
  Certificate loma =
      find_best_loma_order(problem, options.objective, best.lower_bound, least_latency, rest());
  if (!loma.found()) {
    throw NoResult(
        fmt::format("layer '{}': LOMA's allocation of no order of its temporal loops fits into the "
                    "memories of '{}'",
                    given.layer->name, given.accelerator->name));
  }
  loma.states += best.states;
  return loma;
}

TemporalMapping readable(const CompactMapping& mapping, const Layer& layer,
                         const SpatialMapping& spatial_mapping) {
  LoopOrderBatch batch;
  for (const LoopDimension& loop : layer.loops) batch.dimensions.push_back(loop.name);
  for (std::size_t operand = 0; operand < layer.operands.size(); ++operand) {
    batch.operands.push_back(layer.operands[operand].name);
    batch.levels.push_back(static_cast<int>(spatial_mapping.operands[operand].levels.size()) - 1);
  }
  batch.rows.push_back(mapping);
  return batch.mapping(0);
}

}  // namespace zz::core
