#include "core/multicore/schedule/scheduling_order.hpp"

#include <algorithm>
#include <numeric>

namespace zz::core {
namespace {

std::vector<int> layers_by_rank(const ComputationNodeGraph& graph, const LayerStacks& stacks) {
  std::vector<int> layers;
  std::vector<bool> taken(graph.layers.size(), false);
  const auto add = [&](std::vector<int> stack) {
    std::sort(stack.rbegin(), stack.rend());  // the index follows the id
    for (const int layer : stack) {
      if (!taken[layer]) layers.push_back(layer);
      taken[layer] = true;
    }
  };
  for (const auto& stack : stacks) {
    std::vector<int> members;
    for (const std::int64_t id : stack)
      if (const int layer = graph.layer_index(id); layer >= 0) members.push_back(layer);
    add(std::move(members));
  }
  std::vector<int> all(graph.layers.size());
  std::iota(all.begin(), all.end(), 0);
  add(std::move(all));
  return layers;
}

}  // namespace

std::vector<int> deepest_first(const ComputationNodeGraph& graph, const LayerStacks& stacks) {
  std::vector<int> order;
  order.reserve(graph.nodes.size());
  for (const int index : layers_by_rank(graph, stacks)) {
    const CutLayer& layer = graph.layers[index];
    for (int sub_id = layer.node_count - 1; sub_id >= 0; --sub_id)
      order.push_back(layer.first_node + sub_id);
  }
  return order;
}

}  // namespace zz::core
