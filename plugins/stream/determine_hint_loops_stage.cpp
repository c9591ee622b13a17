#include "plugins/stream/determine_hint_loops_stage.hpp"

#include "core/base/diagnostics.hpp"
#include "core/input/stream/hint_text.hpp"
#include "core/multicore/graph/layer_stacks.hpp"
#include "plugins/stream/plain_values.hpp"

namespace zz::plugins {
namespace {

core::LayerStacks single_layers(const core::Workload& workload) {
  core::LayerStacks stacks;
  for (const auto& layer : workload.layers) stacks.push_back({layer->id});
  return stacks;
}

}  // namespace

Results DetermineHintLoopsStage::run(Value ctx) {
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
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace zz::plugins
