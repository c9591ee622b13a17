#pragma once
#include <string>

#include "plugins/internal/shared_settings.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

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
nodes whose inputs have been scheduled. The deepest layer comes first, and in each layer the last node, so that data is used soon
after it was made. Where a stage above gives `layer_stacks`, the nodes of the first stack come before those of the second,
and so on; layers in no stack come last. `compat: stream-0.0.8` ignores stacks.

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

}  // namespace zz::plugins
