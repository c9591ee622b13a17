#pragma once
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {

/// The best of LOMA's mappings: every order of all prime factors, and of all coarser factors that a limit
/// on their number leads to. Finer factors alone can be worse, because the allocation is greedy. Where a
/// limit ends the search, only `free_bound` is proven.
/// Nothing is found when no order fits. `free_bound`: a lower bound over all orders and cuts.
/// `least_latency`: a lower bound of the latency; 0 where the objective is the energy.
Certificate find_best_loma_order(const SearchProblem& problem, Objective objective, double free_bound,
                                 double least_latency, const SearchLimits& limits);

}  // namespace zz::core
