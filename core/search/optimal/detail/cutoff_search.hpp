#pragma once
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/optimal/mapping_problem.hpp"

namespace zz::core {

/// The result of a search for a temporal mapping that is better than a cutoff.
struct CutoffResult {
  Certificate best;   ///< below the cutoff; not found() when none was found
  bool open = false;  ///< a mapping between the lower bound and the best, or the cutoff, may exist
};

/// The best temporal mapping of all orders and cuts, if its value is below `cutoff`. A problem of at most
/// `enumerable` mappings is searched exhaustively where a bound leaves a gap. Throws what
/// find_optimal_mapping() throws for problems that cannot be searched.
CutoffResult find_below(const MappingProblem& problem, const Goal& goal, double cutoff,
                        const SearchLimits& limits, double enumerable);

/// The same without a cutoff, for the first spatial mapping. Throws NoResult when no temporal mapping fits
/// into the memories.
CutoffResult find_first(const MappingProblem& problem, const Goal& goal, const SearchLimits& limits);

}  // namespace zz::core
