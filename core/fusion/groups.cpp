#include "core/fusion/groups.hpp"

#include "core/fusion/tiled_layer.hpp"

namespace zz::core {
namespace {

/// Whether iterations of the outer loop belong to different groups.
bool separates_groups(const TiledLayer& tiled, int loop, bool stream_compat) {
  const Layer& layer = *tiled.layer;
  const bool adds_up = is_irrelevant(layer, 0, loop);
  if (!stream_compat && adds_up) return false;
  if (tiled.constants.empty()) return true;
  return layer.relevancy(tiled.constants.back(), loop) == Relevancy::relevant;
}

}  // namespace

void set_groups(ComputationNodeGraph& graph, int layer, bool stream_compat) {
  TiledLayer& tiled = graph.layers[layer];
  std::vector<std::int64_t> weights;
  std::int64_t groups = 1;
  for (const OuterLoop& outer : tiled.outer_loops) {
    const bool separates = separates_groups(tiled, outer.loop, stream_compat);
    weights.push_back(separates ? groups : 0);
    if (separates) groups *= outer.count;
  }
  TileCounters counters(tiled);
  for (int sub_id = 0; sub_id < tiled.node_count; ++sub_id, counters.advance()) {
    std::int64_t group = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) group += weights[i] * counters[static_cast<int>(i)];
    graph.nodes[tiled.first_node + sub_id].group = static_cast<int>(group);
  }
  tiled.group_count = static_cast<int>(groups);
}

void add_group_order(ComputationNodeGraph& graph, int layer) {
  const TiledLayer& tiled = graph.layers[layer];
  std::vector<int> next(tiled.group_count + 1, 0);
  for (int sub_id = 0; sub_id < tiled.node_count; ++sub_id)
    ++next[graph.nodes[tiled.first_node + sub_id].group + 1];
  for (int group = 0; group < tiled.group_count; ++group) next[group + 1] += next[group];
  std::vector<int> by_group(tiled.node_count);
  for (int node = tiled.first_node; node < tiled.first_node + tiled.node_count; ++node)
    by_group[next[graph.nodes[node].group]++] = node;
  for (std::size_t i = 0; i < by_group.size(); ++i) {
    if (i > 0 && graph.nodes[by_group[i - 1]].group == graph.nodes[by_group[i]].group)
      graph.dependencies.push_back({by_group[i - 1], by_group[i], -1, 0});
    graph.node_order.push_back(by_group[i]);
  }
}

}  // namespace zz::core
