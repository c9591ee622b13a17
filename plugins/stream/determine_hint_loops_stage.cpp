#include <cstdint>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/input/stream/hint_text.hpp"
#include "core/multicore/graph/layer_stacks.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/stream/plain_values.hpp"

namespace zz::plugins {
namespace {

/// Decides how the layers of each stack are cut, and hands that down as "hint_loops".
class DetermineHintLoopsStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.DetermineHintLoopsStage",
      .name = "DetermineHintLoopsStage",
      .aliases = "HintLoopsGenerationStage|TilingGenerationStage",
      .summary = "decides into which loops the layers of fused stacks are cut",
      .doc =
          R"(Turns stacks of layers into `hint_loops`, a map from layer ids to cuts, and sets `cn_define_mode` to 3,
which makes GenerateCNWorkloadHybridStage below read it so. Layers of a stack of several are cut row by row
(`[OY, all]`), layers that are alone not at all. Stacks come from DetermineLayerStacksStage above; with
`mode: lbl` and no stacks, each layer is alone.

`hint_loops` that are given are handed down instead: one cut for all layers leaves the mode as it is, a map
from layer ids to cuts sets it to 3, and so does a list with one cut for each stack.

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
      zz::port("cn_define_mode", ZZ_I64, "3, when hint_loops are by layer ids").optional()};

  Value check(Value ctx) const;
  Results run(Value ctx);
};

core::LayerStacks single_layers(const core::Workload& workload) {
  core::LayerStacks stacks;
  for (const auto& layer : workload.layers) stacks.push_back({layer->id});
  return stacks;
}

Value DetermineHintLoopsStage::check(Value ctx) const {
  const auto workload = object<core::Workload>(ctx, "workload"_n, "workload");
  core::LayerStacks stacks = core::read_layer_stacks(to_core(layer_stacks));
  core::check_layers_known(stacks, *workload);
  if (stacks.empty() && !layer_cutoffs.empty()) stacks = core::stacks_up_to(layer_cutoffs, *workload);
  Value below = ctx;
  if (!hint_loops.is_null()) {
    const core::HintLoopsSetting given = core::read_hint_loops(to_core(hint_loops), stacks);
    if (given.by_layer) {
      const Value loops = from_core(core::hint_loops_value(given.cut_entries));
      below =
          with(ctx, {{"hint_loops"_n, loops}, {"cn_define_mode"_n, std::int64_t{core::split_by_layer}}});
    } else {
      below = with(ctx, {{"hint_loops"_n, hint_loops}});
    }
  } else {
    if (stacks.empty() && mode == "lbl") stacks = single_layers(*workload);
    if (stacks.empty()) {
      throw core::InputError(
          "there are no layer stacks to determine loops for: put DetermineLayerStacksStage above this "
          "stage, "
          "or give layer_stacks");
    }
    const Value loops = from_core(core::hint_loops_value(core::hints_of_stacks(stacks, *workload)));
    below = with(ctx, {{"hint_loops"_n, loops}, {"cn_define_mode"_n, std::int64_t{core::split_by_layer}}});
  }
  return below;
}

Results DetermineHintLoopsStage::run(Value ctx) {
  for (Result& result : substage(check(ctx))) co_yield std::move(result);
}

}  // namespace

ZZ_PLUGIN_STAGE(DetermineHintLoopsStage)

}  // namespace zz::plugins
