#include "plugins/stream/determine_scheduling_order_stage.hpp"

#include <vector>

#include "core/input/stream/hint_text.hpp"
#include "core/multicore/schedule/scheduling_order.hpp"
#include "plugins/stream/plain_values.hpp"

namespace zz::plugins {

Results DetermineSchedulingOrderStage::run(Value ctx) {
  const auto graph =
      object<core::ComputationNodeGraph>(ctx, "computation_nodes"_n, "computation_node_graph");
  core::LayerStacks stacks = core::read_layer_stacks(to_core(ctx["layer_stacks"_n]));
  if (rules().order_ignores_stacks && !stacks.empty()) {
    log(Level::warning, "layer_stacks do not change the order of scheduling, as in Stream 0.0.8");
    stacks.clear();
  }
  const std::vector<int> nodes = core::deepest_first(*graph, stacks);
  std::vector<Value> order;
  order.reserve(graph->nodes.size());
  for (const int node : nodes) {
    const int64_t sub_id = graph->nodes[node].sub_id;
    order.push_back(make(nullptr, list({graph->layer_id(node), sub_id})));
  }
  const Value below = with(ctx, {{"scheduling_order"_n, make_list(order)}});
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace zz::plugins
