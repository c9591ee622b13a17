#pragma once
#include "core/multicore/search/detail/allocation_guide.hpp"
#include "core/multicore/search/detail/choice_evaluator.hpp"
#include "core/multicore/search/detail/search_space.hpp"
#include "core/search/methods/random_numbers.hpp"

namespace zz::core {

/// Genetic search by NSGA-II (K. Deb et al., IEEE TEC 2002), as Stream does it (A. Symons et al., IEEE TC
/// 2024): two-point crossover, mutation, and selection by non-dominated sorting and crowding distance. A
/// genome is an allocation, and a dispatch rule and layer order when the space has orders. Children stay
/// within the domains and are new, as long as a new child can be found in a few attempts.
///
/// A guide, for spaces without orders only, chooses the first generation and improves children by
/// estimates. Generations are then small when few schedules can be made: children learn from earlier
/// generations, so that more generations help more than larger ones.
///
/// Ends after `generations`, when the evaluator is exhausted, or when no new child turns up.
void search_genetically(const SearchSpace& space, int individuals, int generations, RandomNumbers& random,
                        ChoiceEvaluator& evaluator, AllocationGuide* guide = nullptr);

}  // namespace zz::core
