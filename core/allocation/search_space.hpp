#pragma once
#include <vector>

#include "core/schedule/schedule_problem.hpp"

namespace zz::core {

/// What a search may choose: a core for each gene and, besides, the order of the nodes.
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

}  // namespace zz::core
