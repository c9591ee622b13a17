#pragma once
#include "core/search/optimal/search_problem.hpp"

namespace zz::core {

/// The best of LOMA's mappings: every order of all prime factors, and of all coarser factors that a limit
/// on their number leads to, under the allocation that fills each memory greedily. More factors alone can
/// be worse, because it is greedy.
///
/// Depth-first over orders. A beginning of an order is given up when no way to cut it, greedy or not,
/// leaves anything better (by energy). `free_bound` is a bound that holds for all cuts; it is what is
/// proven when the search has to stop before its end. `least_latency` is one of the latency.
Certificate find_best_loma_order(const SearchProblem& problem, Objective objective, double free_bound,
                                 double least_latency, const SearchLimits& limits);

}  // namespace zz::core
