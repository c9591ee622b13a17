#pragma once
#include <vector>

#include "core/allocation/choice_evaluator.hpp"
#include "core/allocation/search_space.hpp"
#include "core/search/random_numbers.hpp"

namespace zz::core {

/// Simulated annealing of allocation, dispatch rule, back-filling and layer order together, for latency.
/// Several walks go on side by side, one from each of `starts` (from its beginning, again and again, when
/// there are fewer than walks); in the end the best of them continue from the best point found.
///
/// Makes about `budget` schedules, fewer when the evaluator is exhausted. Without orders in the space it
/// changes the allocation only.
void anneal_orders(const SearchSpace& space, const std::vector<ScheduleChoice>& starts, std::int64_t budget,
                   RandomNumbers& random, ChoiceEvaluator& evaluator);

}  // namespace zz::core
