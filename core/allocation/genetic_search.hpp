#pragma once
#include "core/allocation/allocation_guide.hpp"
#include "core/allocation/choice_evaluator.hpp"
#include "core/allocation/search_space.hpp"
#include "core/search/random_numbers.hpp"

namespace zz::core {

/// NSGA-II over allocations, and over the dispatch rules when the space has orders. Children are crossed
/// after exchanging cores so that parents agree as far as possible, stay within the domains, and are
/// never something that was evaluated before, as long as such a child turns up.
///
/// With a guide, which is for spaces without orders, it says whom to begin with and what becomes of a
/// child. Generations are smaller then when only few schedules can be made: children learn from those
/// before them, so more generations are worth more than larger ones.
///
/// Ends after `generations`, or when the evaluator is exhausted, or when nothing new turns up.
void search_genetically(const SearchSpace& space, int individuals, int generations, RandomNumbers& random,
                        ChoiceEvaluator& evaluator, AllocationGuide* guide = nullptr);

}  // namespace zz::core
