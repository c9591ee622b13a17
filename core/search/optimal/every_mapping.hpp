#pragma once
#include "core/search/optimal/search_problem.hpp"

namespace zz::core {

/// How many mappings try_every_mapping() would look at, or more.
double count_every_mapping(const SearchProblem& problem);

/// Looks at every order of all prime factors and every way to cut it that fits into the memories, and keeps
/// what is better than `best`: for so few that this is quicker than a proof. Of equally good ones the one
/// with the least energy, or latency when the energy is minimised, which becomes second_bound. Needs at
/// least one loop.
void try_every_mapping(const SearchProblem& problem, Objective objective, Certificate& best);

}  // namespace zz::core
