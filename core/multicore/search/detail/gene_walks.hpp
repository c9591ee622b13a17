#pragma once
#include <cstdint>
#include <vector>

#include "core/multicore/search/detail/plan_evaluator.hpp"
#include "core/multicore/search/detail/plan_space.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/methods/random_numbers.hpp"

namespace zz::core {

/// Climbs through allocations, by turns for energy and for latency: each begins at one of the best
/// schedules in that figure that were made so far, and ends with a plan that is new. So many are
/// evaluated at once. `first` are evaluated before all others; without them half of the first ones are
/// guesses, the others random. Where orders move, climbs change them as well.
///
/// Makes about `schedules`. Ends when the evaluator is exhausted, or when nothing new turns up. Returns the
/// best that it knows, by turns in energy and in latency, the best first.
std::vector<Plan> climb_genes(const PlanSpace& space, int at_once, std::int64_t schedules,
                              RandomNumbers& random, PlanEvaluator& evaluator,
                              std::vector<Plan> first = {});

/// Simulated annealing of allocation, dispatch rule, back-filling and layer order together. Several walks
/// run side by side, one from each of `starts`, which are used again when there are fewer.
///
/// Makes about `schedules`, fewer when the evaluator is exhausted. Without orders in the space it changes
/// the allocation only.
void anneal_genes(const PlanSpace& space, const std::vector<Plan>& starts, Objective objective,
                  std::int64_t schedules, RandomNumbers& random, PlanEvaluator& evaluator);

}  // namespace zz::core
