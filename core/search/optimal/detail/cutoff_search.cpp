#include "core/search/optimal/detail/cutoff_search.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/detail/energy_search.hpp"
#include "core/search/optimal/detail/exhaustive_search.hpp"
#include "core/search/optimal/detail/latency_search.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"

namespace zz::core {
namespace {

/// The latency without stalls and loading; 0 where loading may take less than no time.
double least_latency(const SearchProblem& problem) {
  if (problem.given.options.rules.loading_below_minimum) return 0;
  double iterations = 1;
  for (const LoopKind& kind : problem.space.lattice().kinds()) {
    for (int i = 0; i < kind.count; ++i) iterations *= static_cast<double>(kind.size);
  }
  return iterations * problem.tables.cycles_per_operation;
}

CutoffResult result_of(const Certificate& found, double cutoff) {
  CutoffResult result{found, false};
  result.open = found.lower_bound < std::min(found.value, cutoff) * (1 - rounding_tolerance);
  if (!(found.value < cutoff)) result.best.value = infinite;
  return result;
}

}  // namespace

CutoffResult find_below(const MappingProblem& given, const Goal& goal, double cutoff,
                        const SearchLimits& limits, double enumerable) {
  const ProcessorTime stopwatch;
  const SearchProblem problem(given);
  Certificate start;
  start.value = cutoff;
  double least_energy = 0;
  // A search for the latency alone starts from the cutoff and needs no mapping of least energy.
  if (goal.needs_energy()) {
    const bool product = goal.objective == Objective::edp;
    const double latency = product ? least_latency(problem) : 1;
    const double most = goal.objective == Objective::latency ? infinite : cutoff;
    const Certificate least = find_least_energy(problem, limits, latency > 0 ? most / latency : infinite);
    if (goal.objective == Objective::energy && !goal.limited()) return result_of(least, cutoff);
    least_energy = least.lower_bound;
    start.states = least.states;
    if (!least.found()) {
      start.lower_bound = goal.objective == Objective::latency ? 0 : least_energy * latency;
      return result_of(start, cutoff);
    }
    if (const double value = problem.value(least.mapping, goal); value < cutoff) {
      start.mapping = least.mapping;
      start.value = value;
    }
  }
  SearchLimits rest = limits;
  rest.seconds -= stopwatch.seconds();
  CutoffResult result = result_of(find_least_latency(problem, goal, start, least_energy, rest), cutoff);
  if (result.open && !problem.space.lattice().kinds().empty() && count_mappings(problem) <= enumerable) {
    Certificate every = result.best;
    every.value = std::min(every.value, cutoff);
    search_exhaustively(problem, goal, every);
    every.lower_bound = every.value;
    result = result_of(every, cutoff);
  }
  return result;
}

CutoffResult find_first(const MappingProblem& given, const Goal& goal, const SearchLimits& limits) {
  Certificate least = find_least_energy(SearchProblem(given), limits);
  if (!least.found() && least.lower_bound == infinite) {
    throw NoResult(fmt::format("layer '{}': no order of its temporal loops fits into the memories of '{}'",
                               given.layer->name, given.accelerator->name));
  }
  if (goal.limited()) return find_below(given, goal, infinite, limits, 0);
  try {
    const Certificate first =
        find_optimal_mapping(given, {goal.objective, MappingSpace::free_cuts, limits, false});
    return {first, first.gap() > 0};
  } catch (const NoResult&) {
    // Nothing was found before a limit ended the search.
    least.value = infinite;
    return {least, true};
  }
}

}  // namespace zz::core
