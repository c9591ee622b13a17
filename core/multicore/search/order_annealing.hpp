#pragma once
#include <vector>

#include "core/multicore/search/detail/choice_evaluator.hpp"
#include "core/multicore/search/detail/search_space.hpp"
#include "core/search/methods/random_numbers.hpp"

namespace zz::core {

/// Simulated annealing of allocation, dispatch rule, back-filling and layer order together, for latency.
/// Several walks run side by side, one from each of `starts`, which are used again when there are fewer.
/// Now and then the best walk replaces the worst one.
///
/// Makes about `budget` schedules, fewer when the evaluator is exhausted. Without orders in the space it
/// changes the allocation only.
void anneal_orders(const SearchSpace& space, const std::vector<ScheduleChoice>& starts, std::int64_t budget,
                   RandomNumbers& random, ChoiceEvaluator& evaluator);

}  // namespace zz::core
