#pragma once
#include "core/search/optimal/mapping_problem.hpp"

namespace zz::test {

/// Number of searches that found something, and of those that proved it.
struct Tally {
  int feasible = 0, proven = 0;
};

/// Values, bounds and ties of one problem against brute force, for every objective and every way to prove.
void check_against_everything(const core::MappingProblem& problem, Tally& tally);

}  // namespace zz::test
