#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/hardware/open_costs.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/schedule/core_costs.hpp"
#include "core/multicore/schedule/exchanges.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/internal/stored_answers.hpp"
#include "plugins/pictures/core_costs_page.hpp"
#include "plugins/stream/core_cost_answers.hpp"

namespace zz::plugins {
namespace {

/// Finds the costs of the computation nodes on each core that may run them.
class IntraCoreMappingStage : public Stage, public CompatSetting, public StoreSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.IntraCoreMappingStage",
      .name = "IntraCoreMappingStage",
      .aliases = "ZigZagCoreMappingEstimationStage|CoreCostEstimationStage",
      .summary = "finds what computation nodes cost on each candidate core, by a single-core pipeline",
      .doc =
          R"(Maps the nodes of each layer on each core that may run them (`core_allocation` of the mapping file), with the
stages of the setting `stages`: a pipeline of its own, which is opened with the node as `layer` and the core as
`accelerator`. It may contain any stages for a single core, own ones too, and takes its settings from the list or
from the parameters. The unrolling that is prescribed to it is the `dataflows` of the core where it has one. Of several
results the one with the lowest latency counts, then the one with the lowest energy. A core on which a node has no
mapping is no candidate.

All nodes of a layer have one shape and so one cost; identical layers and identical cores share theirs. Operands too
large for the topmost memories of a core stream: the off-chip memory is put on top of the core for them, and their
accesses there are charged to the node. What has to fit is the largest need of any node of the layer.

With `node_hw_performances_path` the costs are kept in a file (an archive, `zz-host show` prints it) and found there the
next time. Each is used only when node, core, stages and settings are still those that it was found with; otherwise it
is computed anew, and a warning says why. What a stage of your own reads from elsewhere, or its code, cannot be checked:
remove the file when that changes.

With a `store` costs are found again by all runs that name it, also for nodes of other networks (docs/stores.md).

`inner_fusion: true` lets nodes that follow each other on a core exchange a tensor inside of it: the tensor stays in a
memory below the topmost ones of the core, in the place of going up and coming down again (docs/fused.md). The nodes are
mapped once more, by the same `stages`, on the core as they then see it, where the exchanged operand has nothing above
that memory. InterCoreMappingStage chooses what is exchanged in the schedules that it has found: their times and
transfers stay what they are, and their energy is never higher. It takes a core with a memory below the topmost ones
that holds outputs and inputs and is there once; without one, a warning says so.

`compat: stream-0.0.8`: what has to fit is decided by the first node of a layer, and the off-chip memory stands
over the array dimensions that its own file names. It should be among the `parameters:`, for the stages in `stages` as
well.

```yaml
  - GenerateCNWorkloadHybridStage
  - IntraCoreMappingStage:
      node_hw_performances_path: outputs/costs.zz
      stages: [MinimalEnergyStage, SpatialMappingGeneratorStage, MinimalEnergyStage, LomaStage, CostModelStage]
  - InterCoreMappingStage
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  Chain stages{
      "[MinimalLatencyStage, SpatialMappingGeneratorStage, MinimalLatencyStage, LomaStage, "
      "CostModelStage]"};
  std::optional<std::string> node_hw_performances_path;
  std::optional<std::string> visualize_node_hw_performances_path;
  bool inner_fusion = false;
  static constexpr auto params = zz::params(
      param<&IntraCoreMappingStage::stages>("stages", "the pipeline that maps one node on one core"),
      param<&IntraCoreMappingStage::node_hw_performances_path>(
          "node_hw_performances_path", "file in which the costs are kept from run to run; none if empty")
          .alias("cost_lut_path"),
      param<&IntraCoreMappingStage::visualize_node_hw_performances_path>(
          "visualize_node_hw_performances_path", "HTML page with the costs as bars; none if empty"),
      param<&IntraCoreMappingStage::inner_fusion>(
          "inner_fusion",
          "nodes that follow each other on a core may exchange tensors below its topmost memories"),
      compat_setting, store_setting);
  static constexpr Port consumes[] = {
      zz::object("multi_core_accelerator", "multi_core_accelerator", "the cores and the off-chip memory"),
      zz::object("computation_nodes", "computation_node_graph", "the nodes of all layers")};
  static constexpr Port provides[] = {
      zz::object("core_costs", "core_costs", "what nodes cost on the cores"),
      zz::object("layer", "layer", "in `stages`: the node that is mapped"),
      zz::object("accelerator", "accelerator", "in `stages`: the core that it is mapped on")};

  void prepare();
  /// Without the costs, which are found later.
  Value check(Value ctx) const {
    check_store();
    return ctx;
  }
  Results run(Value ctx);

 private:
  /// The costs of nodes that exchange tensors inside of their core.
  std::vector<core::ExchangingCost> exchanging(const core::MultiCoreAccelerator& accelerator,
                                               const core::ComputationNodeGraph& graph,
                                               const core::CoreCostPlan& plan, const core::CoreCosts& costs,
                                               CoreCostAnswers& chain) const;
};

void IntraCoreMappingStage::prepare() {
  if (inner_fusion && !compat.empty())
    throw Error(ZZ_E_INVALID,
                "'inner_fusion' has no figures of '" + compat + "'; leave out 'compat', or 'inner_fusion'");
}

std::vector<core::ExchangingCost> IntraCoreMappingStage::exchanging(
    const core::MultiCoreAccelerator& accelerator, const core::ComputationNodeGraph& graph,
    const core::CoreCostPlan& plan, const core::CoreCosts& costs, CoreCostAnswers& chain) const {
  const core::ExchangePlan exchanges(accelerator, graph, plan, costs);
  if (exchanges.questions().empty())
    log(Level::warning,
        "'inner_fusion' changes nothing: " + core::obstacle_to_exchanges(accelerator, graph));
  if (const auto layers = core::layers_with_blocks_not_exchanged(graph); !layers.empty())
    log(Level::warning,
        fmt::format("'inner_fusion' leaves the results of {} layer{} where they are, as numbers in blocks "
                    "are not exchanged inside of a core; the first is '{}'",
                    layers.size(), layers.size() == 1 ? "" : "s", layers.front()));
  std::vector<std::string> reasons;  // a node that has no mapping so goes on without exchange
  return exchanges.costs(chain.to(exchanges.questions(), reasons, false));
}

Results IntraCoreMappingStage::run(Value ctx) {
  const auto accelerator =
      object<core::MultiCoreAccelerator>(ctx, "multi_core_accelerator"_n, "multi_core_accelerator");
  core::check_costs_are_told(*accelerator);
  const auto graph =
      object<core::ComputationNodeGraph>(ctx, "computation_nodes"_n, "computation_node_graph");
  const core::CoreCostPlan plan(accelerator, graph, rules());
  CoreCostAnswers chain(*this, stages, ctx, node_hw_performances_path, store);
  std::vector<std::string> reasons;
  const CoreCostAnswers::Answers answers = chain.to(plan.questions(), reasons);
  core::CoreCosts found = plan.costs(answers, reasons);
  if (inner_fusion) found.exchanging = exchanging(*accelerator, *graph, plan, found, chain);
  chain.write();
  if (const auto& page = visualize_node_hw_performances_path; page && !page->empty())
    output(*page, core_costs_page(found, *graph, *accelerator));
  const Value below = with(ctx, {{"core_costs"_n, wrap(std::move(found))}});
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace

ZZ_PLUGIN_STAGE(IntraCoreMappingStage)

}  // namespace zz::plugins
