#include "core/search/optimal/detail/cutoff_search.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "core/base/diagnostics.hpp"
#include "core/cost/tiles_below.hpp"
#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/detail/exhaustive.hpp"
#include "core/search/optimal/detail/latency_proof.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/optimal/detail/traffic.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/temporal/topmost_room.hpp"

namespace zz::core {
namespace {

/// The latency without stalls and loading; 0 where loading may take less than no time.
double least_latency(const SearchProblem& problem) {
  if (problem.given.options.rules.loading_below_minimum) return 0;
  const ExponentLattice& lattice = problem.space.lattice();
  const std::int64_t steps =
      all_steps(problem.tables, one_cut_mapping(problem.tables, lattice, lattice.full()));
  return static_cast<double>(steps) * problem.tables.step.each();
}

/// `known`: the value of the best before.
CutoffResult result_of(const MappingProblem& problem, const Certificate& found, double known, double gap) {
  CutoffResult result{found, false};
  if (!problem.lengths.empty() && found.found())
    result.best.mapping = without_empty_iterations(problem, found.mapping);
  result.open = found.lower_bound < std::min(found.value, known) / (1 + gap) * (1 - rounding_tolerance);
  if (!(found.value < known)) result.best.value = infinite;
  return result;
}

}  // namespace

double cutoff_of(double value, double gap) { return value / (1 + gap) * (1 - rounding_tolerance / 2); }

CutoffResult find_below(const MappingProblem& given, const Goal& goal, double known,
                        const SearchLimits& limits, double enumerable) {
  if (const std::optional<CompactMapping> only = prescribed_mapping(given)) {
    CutoffResult result;
    result.best.mapping = *only;
    result.best.states = 1;
    result.best.lower_bound = value_of(given, *only, goal);
    if (result.best.lower_bound < known) result.best.value = result.best.lower_bound;
    return result;
  }
  const ProcessorTime stopwatch;
  const SearchProblem problem(given);
  const double cutoff = cutoff_of(known, limits.gap);
  Certificate start;
  start.value = known;
  double least_energy = 0;
  // A search for the latency alone starts from what is known and needs no mapping of least energy.
  if (goal.needs_energy()) {
    const bool product = goal.objective == Objective::edp;
    const double latency = product ? least_latency(problem) : 1;
    const double most = goal.objective == Objective::latency ? infinite : cutoff;
    const Certificate least = find_least_energy(problem, limits, latency > 0 ? most / latency : infinite);
    if (goal.objective == Objective::energy && !goal.limited())
      return result_of(given, least, known, limits.gap);
    least_energy = least.lower_bound;
    start.states = least.states;
    if (!least.found()) {
      start.lower_bound = goal.objective == Objective::latency ? 0 : least_energy * latency;
      return result_of(given, start, known, limits.gap);
    }
    if (const double value = problem.value(least.mapping, goal); value < known) {
      start.mapping = least.mapping;
      start.value = value;
      if (goal.objective == Objective::energy) return result_of(given, least, known, limits.gap);
    }
  }
  SearchLimits rest = limits;
  rest.seconds -= stopwatch.seconds();
  const Certificate found = find_least_latency(problem, goal, start, least_energy, rest);
  CutoffResult result = result_of(given, found, known, limits.gap);
  if (result.open && given.refinements.few_mappings && !problem.space.lattice().kinds().empty() &&
      count_mappings(problem) <= enumerable) {
    Certificate every = result.best;
    every.value = std::min(every.value, known);
    search_exhaustively(problem, goal, every);
    every.lower_bound = every.value;
    result = result_of(given, every, known, limits.gap);
  }
  return result;
}

CutoffResult find_first(const MappingProblem& given, const Goal& goal, const SearchLimits& limits) {
  if (goal.limited() && !given.layer->mapping.cuts.empty())
    return find_below(given, goal, infinite, limits, 0);
  if (goal.limited()) {
    const Certificate least = find_least_energy(SearchProblem(given), limits);
    if (!least.found() && least.lower_bound == infinite) {
      refuse_small_topmost_memories(*given.layer, *given.accelerator, given.options.rules,
                                    given.fractional.get());
      throw NoResult(
          fmt::format("layer '{}': no order of its temporal loops fits into the memories of '{}'",
                      given.layer->name, given.accelerator->name));
    }
    return find_below(given, goal, infinite, limits, 0);
  }
  try {
    const Certificate first =
        find_optimal_mapping(given, {goal.objective, MappingSpace::free_cuts, limits, false});
    return result_of(given, first, infinite, limits.gap);
  } catch (const NotFound&) {
    return {Certificate{}, true};  // a limit ended the search
  }
}

}  // namespace zz::core
