#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugins/internal/shared_settings.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

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

  Results run(Value ctx);
};

}  // namespace zz::plugins
