#include "core/allocation/search_space.hpp"

#include <algorithm>
#include <map>
#include <set>
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
  struct Group {
    int nodes = 0;
    std::set<int> constants;
  };
  std::map<std::pair<int, int>, Group> groups;  // by layer and group
  for (const ComputationNode& node : graph.nodes) {
    Group& group = groups[{node.layer, node.group}];
    ++group.nodes;
    for (const int operand : graph.layers[node.layer].constants) {
      if (node.tensors[operand] >= 0) group.constants.insert(node.tensors[operand]);
    }
  }
  for (const Gene& gene : problem.genes()) {
    double runtime = -1;
    for (const CoreCost& cost : problem.costs()->layers[gene.layer].on) {
      if (runtime < 0 || cost.runtime < runtime) runtime = cost.runtime;
    }
    space.domains.push_back(gene.cores);
    space.layer_of_gene.push_back(gene.layer);
    const Group& group = groups[{gene.layer, gene.group}];
    space.work_of_gene.push_back(std::max(0.0, runtime) * group.nodes);
    double bits = 0;
    for (const int tensor : group.constants) bits += static_cast<double>(graph.tensors[tensor].bits);
    space.bits_of_gene.push_back(bits);
  }
  return space;
}

}  // namespace zz::core
