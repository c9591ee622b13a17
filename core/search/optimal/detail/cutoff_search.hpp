#pragma once
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/mapping_problem.hpp"

namespace zz::core {

/// The result of a search for a temporal mapping that is better than what is known.
struct CutoffResult {
  Certificate best;   ///< not found() when none is better
  bool open = false;  ///< one that is better by more than the gap may exist
};

/// Only smaller values than this are of interest where a result of `value` is known.
double cutoff_of(double value, double gap);

/// The best temporal mapping of all orders and cuts up to the gap of `limits`, if its value is below
/// `known`. A problem of at most `enumerable` mappings is searched exhaustively where a bound leaves a
/// gap. Throws what find_optimal_mapping() throws for problems that cannot be searched.
CutoffResult find_below(const MappingProblem& given, const Goal& goal, double known,
                        const SearchLimits& limits, double enumerable);

/// The same where nothing is known, for the first spatial mapping. Throws NoResult when no temporal mapping
/// fits into the memories.
CutoffResult find_first(const MappingProblem& given, const Goal& goal, const SearchLimits& limits);

}  // namespace zz::core
