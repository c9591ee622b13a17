#include "core/search/locality/layer_graph.hpp"

#include <cstdint>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace zz::core {
namespace {

/// Connects around each pass-through node, in the order of the file. New edges come after the old ones,
/// which decides what the first predecessor of a layer is.
Workload without_pass_through(const Workload& workload) {
  std::vector<std::pair<std::int64_t, std::int64_t>> edges;
  std::set<std::pair<std::int64_t, std::int64_t>> known;
  std::unordered_map<std::int64_t, std::vector<std::int64_t>> before;
  std::unordered_map<std::int64_t, std::vector<std::int64_t>> after;
  const auto connect = [&](std::int64_t producer, std::int64_t consumer) {
    if (!known.emplace(producer, consumer).second) return;
    edges.emplace_back(producer, consumer);
    before[consumer].push_back(producer);
    after[producer].push_back(consumer);
  };
  for (const auto& [producer, consumer] : workload.edges) connect(producer, consumer);

  std::unordered_set<std::int64_t> removed;
  for (const PassThroughNode& node : workload.pass_through) {
    removed.insert(node.id);
    const std::vector<std::int64_t> producers = before[node.id];
    const std::vector<std::int64_t> consumers = after[node.id];
    for (const std::int64_t producer : producers) {
      if (removed.count(producer) > 0) continue;
      for (const std::int64_t consumer : consumers)
        if (removed.count(consumer) == 0) connect(producer, consumer);
    }
  }

  Workload result;
  result.name = workload.name;
  result.layers = workload.layers;
  for (const auto& edge : edges)
    if (removed.count(edge.first) == 0 && removed.count(edge.second) == 0) result.edges.push_back(edge);
  for (const std::int64_t node : workload.node_order)
    if (removed.count(node) == 0) result.node_order.push_back(node);
  return result;
}

}  // namespace

LayerGraph::LayerGraph(const Workload& workload) {
  const Workload only_layers = without_pass_through(workload);
  layers = only_layers.layers_in_order();
  std::unordered_map<std::int64_t, int> position;
  for (std::size_t i = 0; i < layers.size(); ++i) position.emplace(layers[i]->id, static_cast<int>(i));
  predecessors.resize(layers.size());
  successors.resize(layers.size());
  for (const auto& [producer, consumer] : only_layers.edges) {
    predecessors[position.at(consumer)].push_back(position.at(producer));
    successors[position.at(producer)].push_back(position.at(consumer));
  }
}

}  // namespace zz::core
