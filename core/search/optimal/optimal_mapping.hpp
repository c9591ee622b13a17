#pragma once
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/search_problem.hpp"

namespace zz::core {

/// Which temporal mappings there are to choose from. All have every loop as its prime factors.
enum class MappingSpace {
  free_cuts,  ///< each operand is cut at each of its memories wherever it fits
  loma,       ///< LOMA's greedy allocation, over these and all coarser factors
};

struct OptimumOptions {
  Objective objective = Objective::energy;
  MappingSpace space = MappingSpace::free_cuts;
  SearchLimits limits = {};
  /// Of the mappings of least latency, look for one of least energy, and the other way round; with what is
  /// left of the limits, and no more than twice as many states as the first search took, plus some
  /// hundreds (energy) or thousands. Not in LOMA's space.
  bool break_ties = true;
};

/// The best temporal mapping of a problem, with a proof of how good it is. Throws InputError for problems
/// that cannot be searched, NoResult when no mapping fits into the memories.
Certificate find_optimal_mapping(const MappingProblem& problem, const OptimumOptions& options);

/// Replaces a best mapping for energy or latency by one that is as good and better by the other of the two,
/// as far as `limits` and a number of states in proportion to those of `best` allow.
void break_ties(const MappingProblem& problem, Objective objective, const SearchLimits& limits,
                Certificate& best);

/// The mapping with names, as the rest of the program knows it.
TemporalMapping readable(const CompactMapping& mapping, const Layer& layer,
                         const SpatialMapping& spatial_mapping);

}  // namespace zz::core
