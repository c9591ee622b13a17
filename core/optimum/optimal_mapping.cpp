#include "core/optimum/optimal_mapping.hpp"

#include <fmt/format.h>

#include "core/diagnostics/diagnostics.hpp"
#include "core/mapping/loop_order_search.hpp"
#include "core/optimum/free_cut_energy.hpp"
#include "core/optimum/free_cut_latency.hpp"

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

}  // namespace

Certificate find_optimal_mapping(const MappingProblem& given, const OptimumOptions& options) {
  const Stopwatch stopwatch;
  const SearchProblem problem(given);
  Certificate least_energy = find_least_energy(problem, options.limits);
  if (!least_energy.found() && least_energy.lower_bound == std::numeric_limits<double>::infinity()) {
    throw NoResult(fmt::format("layer '{}': no order of its temporal loops fits into the memories of '{}'",
                               given.layer->name, given.accelerator->name));
  }
  if (options.objective == Objective::energy) return least_energy;
  Certificate best;
  best.states = least_energy.states;
  if (least_energy.found()) {
    best.mapping = least_energy.mapping;
    best.value = problem.value(best.mapping, options.objective);
  }
  try_coarse_orders(problem, options.objective, best);
  SearchLimits limits = options.limits;
  limits.seconds -= stopwatch.seconds();
  return find_least_latency(problem, options.objective, best, least_energy.lower_bound, limits);
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
