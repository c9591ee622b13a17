#include "core/search/optimal/optimal_temporal_mapping.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/detail/energy_search.hpp"
#include "core/search/optimal/detail/exhaustive_search.hpp"
#include "core/search/optimal/detail/latency_search.hpp"
#include "core/search/optimal/detail/loma_search.hpp"
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {
namespace {

/// Tries LOMA's orders of at most six factors: at most some hundred, and mostly good.
void try_coarse_orders(const SearchProblem& problem, const Goal& goal, Certificate& best) {
  Loma orders(problem.given.layer, problem.given.accelerator, problem.given.fractional,
              {.rules = problem.given.options.rules});
  CompactMappings batch;
  while (!orders.finished()) {
    orders.next(batch, 256);
    for (const CompactMapping& row : batch.rows) {
      ++best.states;
      const double value = problem.value(row, goal);
      if (!(value < best.value)) continue;
      best.value = value;
      best.mapping = row;
    }
  }
}

/// So many mappings are evaluated in the time that the first bounds take.
constexpr double very_few = 1e3;
/// So many are evaluated where bounds do not end the search within some states.
constexpr double few = 1e5;
constexpr std::uint64_t states_before_all = 4096;

/// The best mapping for the latency, the EDP or within limits, started from the one of least energy.
Certificate least_by_time(const SearchProblem& problem, Goal goal, const Certificate& least_energy,
                          const SearchLimits& limits) {
  Certificate best;
  best.states = least_energy.states;
  if (least_energy.found()) {
    best.mapping = least_energy.mapping;
    best.value = problem.value(best.mapping, goal);
  }
  const double mappings = problem.space.lattice().kinds().empty() ? infinite : count_mappings(problem);
  if (mappings > very_few) {
    const bool all_can_be_tried = mappings <= few;
    SearchLimits effort = limits;
    if (all_can_be_tried) effort.states = std::min(effort.states, states_before_all);
    Certificate proven = best;
    try_coarse_orders(problem, goal, proven);
    Goal bounded = goal;
    bounded.least_energy = least_energy.lower_bound * (1 - rounding_tolerance);
    proven = find_least_latency(problem, bounded, proven, least_energy.lower_bound, effort);
    if (!all_can_be_tried || proven.gap() == 0) return proven;
    best.states = proven.states;
  }
  search_exhaustively(problem, goal, best);
  best.lower_bound = best.value;
  return best;
}

/// Searches the mappings as good as `best` for the least latency, or energy.
void break_ties(const SearchProblem& problem, Objective objective, const Certificate& least_energy,
                SearchLimits limits, Certificate& best) {
  // The energy is proven in a few hundred states. Its ties should not take much longer.
  const std::uint64_t least_states = objective == Objective::energy ? 256 : 4096;
  Goal goal = objective == Objective::energy ? Objective::latency : Objective::energy;
  const double most = best.value * (1 + rounding_tolerance);
  (objective == Objective::energy ? goal.most_energy : goal.most_latency) = most;
  limits.gap = 0;
  limits.states = least_states + 2 * best.states;
  Certificate start;
  start.mapping = best.mapping;
  start.value = problem.value(best.mapping, goal);
  const Certificate found = find_least_latency(problem, goal, start, least_energy.lower_bound, limits);
  best.mapping = found.mapping;
  best.second_bound = found.lower_bound;
  best.states += found.states;
}

}  // namespace

Certificate find_optimal_mapping(const MappingProblem& given, const OptimumOptions& options) {
  const ProcessorTime stopwatch;
  const SearchProblem problem(given);
  Certificate least_energy = find_least_energy(problem, options.limits);
  if (!least_energy.found() && least_energy.lower_bound == infinite) {
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
  const bool loops = !problem.space.lattice().kinds().empty();
  if (options.within.any()) {
    Certificate best = least_by_time(problem, {options.objective, options.within}, least_energy, rest());
    if (!best.found()) {
      throw NoResult(fmt::format("layer '{}': no temporal mapping {} the limits of energy and latency",
                                 given.layer->name,
                                 best.lower_bound == infinite ? "keeps" : "was found in time that keeps"));
    }
    best.second_bound = 0;
    return best;
  }
  if (options.objective == Objective::energy && options.space == MappingSpace::free_cuts) {
    Certificate best = least_energy;
    if (options.break_ties && loops) break_ties(problem, Objective::energy, least_energy, rest(), best);
    return best;
  }
  Certificate best = least_energy;
  double least_latency = 0;
  if (options.objective != Objective::energy) {
    best = least_by_time(problem, options.objective, least_energy, rest());
    if (options.space == MappingSpace::free_cuts) {
      const bool ties = options.break_ties && loops && options.objective == Objective::latency;
      if (!ties) best.second_bound = 0;
      if (ties && best.second_bound == 0)
        break_ties(problem, Objective::latency, least_energy, rest(), best);
      return best;
    }
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

void break_ties(const MappingProblem& given, Objective objective, const SearchLimits& limits,
                Certificate& best) {
  const SearchProblem problem(given);
  if (objective == Objective::edp || problem.space.lattice().kinds().empty()) return;
  break_ties(problem, objective, find_least_energy(problem, limits), limits, best);
}

TemporalMapping readable(const CompactMapping& mapping, const Layer& layer,
                         const SpatialMapping& spatial_mapping) {
  CompactMappings batch;
  for (const LoopDimension& loop : layer.loops) batch.dimensions.push_back(loop.name);
  for (std::size_t operand = 0; operand < layer.operands.size(); ++operand) {
    batch.operands.push_back(layer.operands[operand].name);
    batch.levels.push_back(static_cast<int>(spatial_mapping.operands[operand].levels.size()) - 1);
  }
  batch.rows.push_back(mapping);
  return batch.mapping(0);
}

}  // namespace zz::core
