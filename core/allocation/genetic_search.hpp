#pragma once
#include "core/allocation/choice_evaluator.hpp"
#include "core/allocation/search_space.hpp"
#include "core/mapping/random_numbers.hpp"

namespace zz::core {

/// NSGA-II over allocations, and over the dispatch rules when the space has orders. Children are crossed
/// after exchanging cores so that parents agree as far as possible, stay within the domains, and are
/// never something that was evaluated before, as long as such a child turns up.
///
/// Ends after `generations`, or when the evaluator is exhausted, or when nothing new turns up.
void search_genetically(const SearchSpace& space, int individuals, int generations, RandomNumbers& random,
                        ChoiceEvaluator& evaluator);

}  // namespace zz::core
