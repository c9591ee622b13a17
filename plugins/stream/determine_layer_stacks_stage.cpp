#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "core/input/stream/hint_text.hpp"
#include "core/multicore/graph/layer_stacks.hpp"
#include "plugins/internal/placed_layers.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/stream/plain_values.hpp"

namespace zz::plugins {
namespace {

/// Decides which layers run fused and hands them down as "layer_stacks".
class DetermineLayerStacksStage : public Stage, public CompatSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.DetermineLayerStacksStage",
      .name = "DetermineLayerStacksStage",
      .aliases = "LayerStacksGenerationStage",
      .summary = "divides the layers of a network into stacks that run fused",
      .doc =
          R"(Divides the layers, by ascending id, into stacks, and hands them down as `layer_stacks`, a list of lists of
layer ids. With `mode: fused` a stack takes layers as long as their weights fit into the weight memories of
all cores together (the off-chip memory does not count); the layers after it are alone. `stack_cutoff` puts
all layers up to that id into one stack, and `stack_cutoffs` begins a new one after each of its ids. With
`mode: lbl` (layer by layer) each layer is alone. Stacks given as `layer_stacks` are handed down as they
are. DetermineHintLoopsStage below turns stacks into loops to cut.

```yaml
parameters: {workload: resnet18.onnx, accelerator: quad_core.yaml, mapping: quad_core.yaml, mode: fused}
stages: [AcceleratorParserStage, StreamONNXModelParserStage, DetermineLayerStacksStage,
         DetermineHintLoopsStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string mode = "fused";
  std::optional<int64_t> stack_cutoff;
  std::vector<int64_t> stack_cutoffs;
  Value layer_stacks;
  static constexpr auto params = zz::params(
      param<&DetermineLayerStacksStage::mode>("mode", "fused: stacks of layers; lbl: layer by layer")
          .allowed("fused|lbl")
          .alias("stage_mode"),
      param<&DetermineLayerStacksStage::stack_cutoff>(
          "stack_cutoff", "fused: last layer id of the one stack; later layers are alone")
          .allowed("[0, inf]"),
      param<&DetermineLayerStacksStage::stack_cutoffs>(
          "stack_cutoffs", "fused: last layer id of each stack, ascending; later layers are alone"),
      param<&DetermineLayerStacksStage::layer_stacks>(
          "layer_stacks", "stacks to hand down instead of determined ones: lists of layer ids"),
      compat_setting);
  static constexpr Port consumes[] = {
      zz::object("workload", "workload", "the network"),
      zz::object("multi_core_accelerator", "multi_core_accelerator", "its weight memories count")};
  static constexpr Port provides[] = {
      zz::port("layer_stacks", ZZ_LIST, "layers that run fused: a list of lists of layer ids")};

  Value check(Value ctx) const;
  Results run(Value ctx);

 private:
  core::LayerStacks stacks_of(const Value& ctx) const;
};

core::LayerStacks DetermineLayerStacksStage::stacks_of(const Value& ctx) const {
  const auto workload = object<core::Workload>(ctx, "workload"_n, "workload");
  core::LayerStacks stacks = core::read_layer_stacks(to_core(layer_stacks));
  if (stacks.empty()) {
    const auto accelerator =
        object<core::MultiCoreAccelerator>(ctx, "multi_core_accelerator"_n, "multi_core_accelerator");
    const core::StackOptions options{mode, stack_cutoff, stack_cutoffs, rules()};
    const auto as_it_runs =
        with_scales_of_cores(*this, workload, *accelerator, no_scales_with(compat), false);
    stacks = core::determine_layer_stacks(*as_it_runs, *accelerator, options);
  } else {
    core::check_layers_known(stacks, *workload);
  }
  return stacks;
}

Value DetermineLayerStacksStage::check(Value ctx) const {
  const Value handed_down = from_core(core::layer_stacks_value(stacks_of(ctx)));
  return with(ctx, {{"layer_stacks"_n, handed_down}});
}

Results DetermineLayerStacksStage::run(Value ctx) {
  const auto workload = object<core::Workload>(ctx, "workload"_n, "workload");
  const core::LayerStacks stacks = stacks_of(ctx);
  log(Level::info, fmt::format("{} layers in {} stacks", workload->layers.size(), stacks.size()));
  const Value handed_down = from_core(core::layer_stacks_value(stacks));
  const Value below = with(ctx, {{"layer_stacks"_n, handed_down}});
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace

ZZ_PLUGIN_STAGE(DetermineLayerStacksStage)

}  // namespace zz::plugins
