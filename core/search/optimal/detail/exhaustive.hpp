#pragma once
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {

/// An upper bound of the number of mappings that search_exhaustively() evaluates.
double count_mappings(const SearchProblem& problem);

/// Evaluates every order of all prime factors with every way to cut it that fits into the memories, and
/// keeps the best in `best`. For problems so small that this is quicker than a proof. Among equally
/// good mappings it keeps the one with the least energy, or the least latency when the energy is minimised,
/// and stores that energy, or latency, in second_bound. REQUIRES: at least one temporal loop.
void search_exhaustively(const SearchProblem& problem, const Goal& goal, Certificate& best);

}  // namespace zz::core
