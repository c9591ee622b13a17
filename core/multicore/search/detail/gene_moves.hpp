#pragma once
#include <vector>

#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/multicore/search/detail/core_symmetry.hpp"
#include "core/search/methods/random_numbers.hpp"

namespace zz::core {

/// The choices of a search: a core for each gene and, besides, the order of the nodes.
struct SearchSpace {
  std::vector<std::vector<int>> domains;  ///< of each gene, never empty
  std::vector<int> layer_of_gene;         ///< index into ComputationNodeGraph::layers
  std::vector<double> work_of_gene;       ///< cycles, with the fastest candidates: how much it matters
  std::vector<double> bits_of_gene;       ///< of the constants that its nodes read
  int layers = 0;
  bool orders = false;  ///< dispatch rules, orders and back-filling are searched as well

  /// Number of allocations; infinity when there are too many for a double.
  double allocations() const;
};

SearchSpace search_space(const ScheduleProblem& problem, bool orders);

/// Random points of a search space and mutations. All stay within the domains.
class GeneMoves {
 public:
  GeneMoves(const SearchSpace& space, RandomNumbers& random) : space_(space), random_(random) {}

  std::vector<int> random_cores();
  /// Good guesses, usually the best one first: each gene in turn to the core with the least constants;
  /// genes one by one and two by two over the cores; contiguous pieces of equal work; longest processing
  /// time first (LPT); everything on one core.
  std::vector<std::vector<int>> sensible_cores() const;

  /// Changes one or two genes: to another core, to the core of the gene beside it, or against each other.
  /// Where orders do not move, also runs of genes, to one core.
  void change_cores(std::vector<int>& cores);
  /// Changes dispatch rule, weight or back-filling, not the order of the layers.
  void change_dispatch(ScheduleChoice& choice);
  /// Changes offset or slope of a layer, or exchanges those of two; `reach` is how far, in layers.
  void change_order(ScheduleChoice& choice, double reach);

 private:
  void change_one(std::vector<int>& cores);

  const SearchSpace& space_;
  RandomNumbers& random_;
};

/// Orders that are good guesses: the deepest layer first, layer after layer, and slanted between them; each
/// with every dispatch rule.
std::vector<ScheduleChoice> sensible_orders(const SearchSpace& space);

}  // namespace zz::core
