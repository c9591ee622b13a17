#include "plugins/stream/determine_layer_stacks_stage.hpp"

#include <fmt/format.h>

#include "core/input/stream/hint_text.hpp"
#include "core/multicore/graph/layer_stacks.hpp"
#include "plugins/stream/plain_values.hpp"

namespace zz::plugins {

Results DetermineLayerStacksStage::run(Value ctx) {
  const auto workload = object<core::Workload>(ctx, "workload"_n, "workload");
  core::LayerStacks stacks = core::read_layer_stacks(to_core(layer_stacks));
  if (stacks.empty()) {
    const auto accelerator =
        object<core::MultiCoreAccelerator>(ctx, "multi_core_accelerator"_n, "multi_core_accelerator");
    const core::StackOptions options{mode, stack_cutoff, stack_cutoffs, rules()};
    stacks = core::determine_layer_stacks(*workload, *accelerator, options);
  } else {
    core::check_layers_known(stacks, *workload);
  }
  log(Level::info, fmt::format("{} layers in {} stacks", workload->layers.size(), stacks.size()));
  const Value handed_down = from_core(core::layer_stacks_value(stacks));
  const Value below = with(ctx, {{"layer_stacks"_n, handed_down}});
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace zz::plugins
