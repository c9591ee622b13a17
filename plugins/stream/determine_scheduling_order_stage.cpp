#include "plugins/stream/determine_scheduling_order_stage.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/fusion/computation_node_graph.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {
namespace {

/// The layers by rank: those of the first stack, the deepest first, then those of the next one.
std::vector<int> layers_by_rank(const core::ComputationNodeGraph& graph, Ref stacks) {
  std::vector<int> layers;
  std::vector<bool> taken(graph.layers.size(), false);
  const auto add = [&](std::vector<int> stack) {
    std::sort(stack.rbegin(), stack.rend());  // the index follows the id
    for (const int layer : stack) {
      if (!taken[layer]) layers.push_back(layer);
      taken[layer] = true;
    }
  };
  if (!stacks.is_null()) {
    for (const Ref stack : stacks) {
      std::vector<int> members;
      for (const Ref id : stack)
        if (const int layer = graph.layer_index(id.i64()); layer >= 0) members.push_back(layer);
      add(std::move(members));
    }
  }
  std::vector<int> all(graph.layers.size());
  for (std::size_t layer = 0; layer < all.size(); ++layer) all[layer] = static_cast<int>(layer);
  add(std::move(all));
  return layers;
}

}  // namespace

Results DetermineSchedulingOrderStage::run(Value ctx) {
  const auto graph =
      object<core::ComputationNodeGraph>(ctx, "computation_nodes"_n, "computation_node_graph");
  const Ref stacks = ctx["layer_stacks"_n];
  const bool ignored = is_stream(compat) && !stacks.is_null();
  if (ignored)
    log(Level::warning, "layer_stacks do not change the order of scheduling, as in Stream 0.0.8");
  std::vector<Value> order;
  order.reserve(graph->nodes.size());
  for (const int index : layers_by_rank(*graph, ignored ? Ref() : stacks)) {
    const core::TiledLayer& layer = graph->layers[index];
    for (int node = layer.node_count - 1; node >= 0; --node)
      order.push_back(make(nullptr, list({layer.layer->id, static_cast<int64_t>(node)})));
  }
  const Value below = with(ctx, {{"scheduling_order"_n, make_list(order)}});
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace zz::plugins
