#pragma once
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {

/// Partial mappings that LatencySearch looks at before it changes its method. Only its time depends on
/// these.
struct SearchPace {
  std::size_t labels_at_once = 512;  ///< before another subproblem has its turn
  std::size_t before_dive = 1024;    ///< of a subproblem without a mapping, before a diving heuristic
  std::size_t before_branching =
      1024;                           ///< of a subproblem, before a joint cost-to-go and capacity branches
  std::size_t before_classes = 2048;  ///< of a subproblem without a mapping, before it is split by class
};

/// The best mapping for a goal that needs the latency, over all orders of all prime factors and all cuts
/// that fit into the memories. `incumbent`: a mapping to start from, with its value for the goal.
/// `least_energy`: a lower bound of the energy.
///
/// Branch and bound over subproblems, best bound first (Land & Doig, Econometrica 28, 1960). The root
/// subproblems are the final residencies: which tensors end up whole in which memories. Where the array has
/// keys of its own (ArrayTable), there are such roots for each way in which orders can begin (Beginning),
/// within which array cycles and periods are those of one pace. Within one of them
/// the latency is bounded by sums over boundaries (LatencyCosts), and MappingSearch finds the mapping that
/// is best by that bound.
///
/// Where the cost model finds a longer latency than the bound, the subproblem is refined, in this order:
/// 1. labels are told apart by fill classes, which decide how much loading cannot be hidden;
/// 2. only labels that the cost model cannot tell apart dominate each other, so that every mapping whose
///    bound is below the best one is evaluated.
///
/// A subproblem that takes long is split by fill classes if that brings its bound half the way to the best
/// mapping, then bounded by JointCostToGo with LagrangianBound, then split by capacity (CapacityBranch).
Certificate find_least_latency(const SearchProblem& problem, const Goal& goal, const Certificate& incumbent,
                               double least_energy, const SearchLimits& limits,
                               const SearchPace& pace = {});

}  // namespace zz::core
