#include "core/search/optimal/cut_off_search.hpp"

#include <algorithm>
#include <limits>

#include "core/search/optimal/every_mapping.hpp"
#include "core/search/optimal/free_cut_energy.hpp"
#include "core/search/optimal/free_cut_latency.hpp"

namespace zz::core {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Cycles without any stall or loading; 0 where loading may take less than no time.
double least_latency(const SearchProblem& problem) {
  if (problem.given.options.zigzag_compat) return 0;
  double iterations = 1;
  for (const LoopKind& kind : problem.space.lattice().kinds()) {
    for (int i = 0; i < kind.count; ++i) iterations *= static_cast<double>(kind.size);
  }
  return iterations * problem.tables.cycles_per_operation;
}

CutOffResult result_of(const Certificate& found, double cutoff) {
  CutOffResult result{found, false};
  result.open = found.lower_bound < std::min(found.value, cutoff) * (1 - rounding_tolerance);
  if (!(found.value < cutoff)) result.best.value = infinity;
  return result;
}

}  // namespace

CutOffResult find_below(const MappingProblem& given, Objective objective, double cutoff,
                        const SearchLimits& limits, double enumerable) {
  const Stopwatch stopwatch;
  const SearchProblem problem(given);
  Certificate start;
  start.value = cutoff;
  double least_energy = 0;
  // Latency needs no energy to start from, as there is something to compare with.
  if (objective != Objective::latency) {
    const double latency = objective == Objective::edp ? least_latency(problem) : 1;
    const Certificate least = find_least_energy(problem, limits, latency > 0 ? cutoff / latency : infinity);
    if (objective == Objective::energy) return result_of(least, cutoff);
    least_energy = least.lower_bound;
    start.states = least.states;
    if (!least.found()) {
      start.lower_bound = least_energy * latency;
      return result_of(start, cutoff);
    }
    if (const double value = problem.value(least.mapping, objective); value < cutoff) {
      start.mapping = least.mapping;
      start.value = value;
    }
  }
  SearchLimits rest = limits;
  rest.seconds -= stopwatch.seconds();
  CutOffResult result =
      result_of(find_least_latency(problem, objective, start, least_energy, rest), cutoff);
  if (result.open && !problem.space.lattice().kinds().empty() &&
      count_every_mapping(problem) <= enumerable) {
    Certificate every = result.best;
    every.value = std::min(every.value, cutoff);
    try_every_mapping(problem, objective, every);
    every.lower_bound = every.value;
    result = result_of(every, cutoff);
  }
  return result;
}

}  // namespace zz::core
