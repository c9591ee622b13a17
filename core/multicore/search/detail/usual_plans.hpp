#pragma once
#include <optional>
#include <vector>

#include "core/multicore/cuts/cut_prices.hpp"
#include "core/multicore/search/detail/plan.hpp"
#include "core/multicore/search/detail/plan_space.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/methods/random_numbers.hpp"

namespace zz::core {

/// Any core for each gene of given cuts.
std::vector<int> random_cores(const PlanSpace& space, RandomNumbers& random);

/// Good guesses for given cuts, usually the best one first: each gene in turn to the core with the least
/// constants; genes one by one and two by two over the cores; contiguous pieces of equal work; longest
/// processing time first (LPT); everything on one core.
std::vector<std::vector<int>> sensible_cores(const PlanSpace& space);

/// The core of each gene, so that the work of the cores is even: the longest first, to where all its work
/// ends first (longest processing time first: R. Graham 1969).
std::vector<int> even_cores(const ScheduleProblem& problem);

/// Every layer in one piece, on the core where it is the best by the objective, the first of equal ones;
/// none where it makes no difference to any layer, or a layer runs nowhere in one piece. Cuts move.
std::optional<Plan> whole_layers_on_best_cores(const PlanSpace& space, const PartitionGraphs& graphs,
                                               const CutPrices& prices, Objective objective);

/// Orders that are good guesses: the deepest layer first, layer after layer, and slanted between them; each
/// with every dispatch rule.
std::vector<ScheduleChoice> sensible_orders(const PlanSpace& space);

}  // namespace zz::core
