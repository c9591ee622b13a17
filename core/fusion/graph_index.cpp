#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "core/diagnostics/diagnostics.hpp"
#include "core/fusion/computation_node_graph.hpp"

namespace zz::core {
namespace {

/// Dependencies by one of their ends, in order of construction: a counting sort.
void sort_by_end(const std::vector<Dependency>& dependencies, int Dependency::*end, std::size_t nodes,
                 std::vector<int>& begin, std::vector<int>& sorted) {
  begin.assign(nodes + 1, 0);
  for (const Dependency& dependency : dependencies) ++begin[dependency.*end + 1];
  for (std::size_t node = 0; node < nodes; ++node) begin[node + 1] += begin[node];
  std::vector<int> next(begin.begin(), begin.end() - 1);
  sorted.resize(dependencies.size());
  for (std::size_t i = 0; i < dependencies.size(); ++i)
    sorted[next[dependencies[i].*end]++] = static_cast<int>(i);
}

std::string name_of(const ComputationNodeGraph& graph, std::size_t node) {
  const TiledLayer& tiled = graph.layers[graph.nodes[node].layer];
  return fmt::format("node {} of layer {} '{}'", graph.nodes[node].sub_id, tiled.layer->id,
                     tiled.layer->name);
}

void check_node_order(const ComputationNodeGraph& graph) {
  std::vector<char> named(graph.nodes.size(), 0);
  for (const int node : graph.node_order) {
    if (node < 0 || static_cast<std::size_t>(node) >= graph.nodes.size()) {
      throw InputError(fmt::format("the order of the computation nodes names number {}; expected 0 to {}",
                                   node, static_cast<std::int64_t>(graph.nodes.size()) - 1));
    }
    if (named[node]) {
      throw InputError(
          fmt::format("the order of the computation nodes names {} twice", name_of(graph, node)));
    }
    named[node] = 1;
  }
  const auto missing = std::find(named.begin(), named.end(), 0);
  if (missing == named.end()) return;
  throw InputError(fmt::format("the order of the computation nodes leaves out {}",
                               name_of(graph, static_cast<std::size_t>(missing - named.begin()))));
}

}  // namespace

int ComputationNodeGraph::layer_index(std::int64_t id) const {
  const auto found = std::lower_bound(
      layers.begin(), layers.end(), id,
      [](const TiledLayer& tiled, std::int64_t wanted) { return tiled.layer->id < wanted; });
  return found == layers.end() || found->layer->id != id ? -1 : static_cast<int>(found - layers.begin());
}

void ComputationNodeGraph::index() {
  check_node_order(*this);
  sort_by_end(dependencies, &Dependency::to, nodes.size(), predecessor_begin, predecessors);
  sort_by_end(dependencies, &Dependency::from, nodes.size(), successor_begin, successors);

  std::vector<int> unfinished(nodes.size());
  topological_order.clear();
  topological_order.reserve(nodes.size());
  for (const int node : node_order) {
    unfinished[node] = predecessor_begin[node + 1] - predecessor_begin[node];
    if (unfinished[node] == 0) topological_order.push_back(node);
  }
  // A queue keeps the generations apart: what one releases comes after all of it.
  for (std::size_t next = 0; next < topological_order.size(); ++next) {
    const int node = topological_order[next];
    for (int i = successor_begin[node]; i < successor_begin[node + 1]; ++i) {
      const int successor = dependencies[successors[i]].to;
      if (--unfinished[successor] == 0) topological_order.push_back(successor);
    }
  }
  if (topological_order.size() == nodes.size()) return;
  const auto stuck =
      std::find_if(node_order.begin(), node_order.end(), [&](int node) { return unfinished[node] > 0; });
  throw InputError(fmt::format("computation nodes wait for each other in a circle, among them {}",
                               name_of(*this, static_cast<std::size_t>(*stuck))));
}

}  // namespace zz::core
