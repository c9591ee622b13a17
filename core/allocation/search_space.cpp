#include "core/allocation/search_space.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace zz::core {

double SearchSpace::allocations() const {
  double product = 1;
  for (const std::vector<int>& domain : domains) product *= static_cast<double>(domain.size());
  return product;
}

SearchSpace search_space(const ScheduleProblem& problem, bool orders) {
  SearchSpace space;
  const ComputationNodeGraph& graph = *problem.graph();
  space.layers = static_cast<int>(graph.layers.size());
  space.orders = orders;
  std::map<std::pair<int, int>, int> nodes;  // by layer and group
  for (const ComputationNode& node : graph.nodes) ++nodes[{node.layer, node.group}];
  for (const Gene& gene : problem.genes()) {
    double runtime = -1;
    for (const CoreCost& cost : problem.costs()->layers[gene.layer].on) {
      if (runtime < 0 || cost.runtime < runtime) runtime = cost.runtime;
    }
    space.domains.push_back(gene.cores);
    space.layer_of_gene.push_back(gene.layer);
    space.work_of_gene.push_back(std::max(0.0, runtime) * nodes[{gene.layer, gene.group}]);
  }
  return space;
}

}  // namespace zz::core
