#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "zz/stage.hpp"

namespace zz::plugins {

/// Decides how the layers of each stack are cut, and hands that down as "hint_loops".
class DetermineHintLoopsStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.DetermineHintLoopsStage",
      .name = "DetermineHintLoopsStage",
      .aliases = "HintLoopsGenerationStage|TilingGenerationStage",
      .summary = "decides into which loops the layers of fused stacks are cut",
      .doc =
          R"(Turns stacks of layers into `hint_loops`, a map from layer ids to loops, and sets `cn_define_mode` to 3,
which makes GenerateCNWorkloadHybridStage below read it so. Layers of a stack of several are cut row by row
(`[OY, all]`), layers that are alone not at all. Stacks come from DetermineLayerStacksStage above; with
`mode: lbl` and no stacks, each layer is alone.

`hint_loops` that are given are handed down instead: loops for all layers leave the mode as it is, a map
from layer ids to loops sets it to 3, and so does a list with one list of loops for each stack.

```yaml
stages: [AcceleratorParserStage, StreamONNXModelParserStage, DetermineLayerStacksStage, DetermineHintLoopsStage,
         GenerateCNWorkloadHybridStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::string mode = "fused";
  Value layer_stacks;
  Value hint_loops;
  std::vector<int64_t> layer_cutoffs;
  static constexpr auto params = zz::params(
      param<&DetermineHintLoopsStage::mode>("mode", "fused: stacks of layers; lbl: layer by layer")
          .allowed("fused|lbl")
          .alias("stage_mode"),
      param<&DetermineHintLoopsStage::layer_stacks>(
          "layer_stacks",
          "lists of layer ids that run fused; DetermineLayerStacksStage above provides them"),
      param<&DetermineHintLoopsStage::hint_loops>(
          "hint_loops",
          "loops to hand down instead of determined ones, as [[OY, 4]] or {\"0,1\": [[OY, all]]}"),
      param<&DetermineHintLoopsStage::layer_cutoffs>(
          "layer_cutoffs",
          "when hint_loops is a list of lists: the last layer id that each of them is for; the last list "
          "needs none"));
  static constexpr Port consumes[] = {zz::object("workload", "workload", "the network")};
  static constexpr Port provides[] = {
      zz::port("hint_loops", ZZ_NULL, "loops to cut, for all layers or by layer ids"),
      zz::port("cn_define_mode", ZZ_I64, "3, when hint_loops are by layer ids")};

  Results run(Value ctx);
};

}  // namespace zz::plugins
