#pragma once
#include "core/search/optimal/search_problem.hpp"

namespace zz::core {

/// What a search for something below a cutoff ends with.
struct CutOffResult {
  Certificate best;  ///< below the cutoff; not found() when there is nothing, as far as was searched
  /// Nothing below the lower bound exists; what lies between it and the best, or the cutoff, is not known.
  bool open = false;
};

/// The best temporal mapping of a problem, if its value is below `cutoff`: of all orders and all cuts
/// (MappingSpace::free_cuts). `enumerable`: so few mappings are tried one by one where a bound leaves a
/// gap. Throws InputError for problems that cannot be searched, NoResult when it turns out that no mapping
/// fits into the memories.
CutOffResult find_below(const MappingProblem& problem, Objective objective, double cutoff,
                        const SearchLimits& limits, double enumerable);

}  // namespace zz::core
