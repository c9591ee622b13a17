#include <string>
#include <vector>

#include "core/input/stream/hint_text.hpp"
#include "core/multicore/graph/layer_stacks.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/stream/plain_values.hpp"

namespace zz::plugins {
namespace {

/// Decides in which order computation nodes that could run are scheduled.
class DetermineSchedulingOrderStage : public Stage, public CompatSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.DetermineSchedulingOrderStage",
      .name = "DetermineSchedulingOrderStage",
      .aliases = "SchedulingOrderGenerationStage",
      .summary = "orders computation nodes for the scheduler: the deepest layer first",
      .doc =
          R"(Hands down `scheduling_order`, pairs of layer id and node, first one first: the scheduler takes the first of those
nodes whose inputs have been scheduled. The deepest layer comes first, and in each layer the last node, so that data is
used soon after it was made. Where a stage above gives `layer_stacks`, the nodes of the first stack come before those of
the second, and so on; layers in no stack come last. `compat: stream-0.0.8` ignores stacks.

InterCoreMappingStage makes the same order, without stacks, when this stage is absent.)",
      .flags = ZZ_STAGE_ONE | ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  static constexpr auto params = zz::params(compat_setting);
  static constexpr Port consumes[] = {
      zz::object("computation_nodes", "computation_node_graph", "the nodes to order"),
      zz::port("layer_stacks", ZZ_LIST, "ids of the layers of each stack").optional()};
  static constexpr Port provides[] = {
      zz::port("scheduling_order", ZZ_LIST, "pairs of layer id and number of the node in its layer")};

  Results run(Value ctx);
};

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

}  // namespace

ZZ_PLUGIN_STAGE(DetermineSchedulingOrderStage)

}  // namespace zz::plugins
