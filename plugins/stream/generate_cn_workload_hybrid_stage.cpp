#include "plugins/stream/generate_cn_workload_hybrid_stage.hpp"

#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/input/stream/hint_text.hpp"
#include "core/multicore/graph/layer_stacks.hpp"
#include "core/multicore/graph/split_into_nodes.hpp"
#include "plugins/internal/missing_work.hpp"
#include "plugins/stream/plain_values.hpp"

namespace zz::plugins {
namespace {

/// The hints of each layer, from any form in which they were given.
std::vector<core::CutEntry> hints_by_layer(const GenerateCNWorkloadHybridStage& settings,
                                           const core::HintLoopsSetting& given, core::LayerStacks stacks,
                                           const core::Workload& workload,
                                           const core::MultiCoreAccelerator& accelerator) {
  if (given.by_layer) return given.cut_entries;
  if (!settings.hint_loops.is_null()) return {{workload.node_order, given.loops}};
  if (stacks.empty()) {
    const core::StackOptions options{settings.mode, settings.stack_cutoff, settings.stack_cutoffs,
                                     settings.rules()};
    stacks = core::determine_layer_stacks(workload, accelerator, options);
  }
  return core::hints_of_stacks(stacks, workload);
}

core::SplitOptions options_of(const GenerateCNWorkloadHybridStage& settings, const core::Workload& workload,
                              const core::MultiCoreAccelerator& accelerator) {
  core::LayerStacks stacks = core::read_layer_stacks(to_core(settings.layer_stacks));
  if (stacks.empty() && !settings.layer_cutoffs.empty())
    stacks = core::stacks_up_to(settings.layer_cutoffs, workload);
  const core::HintLoopsSetting given = core::read_hint_loops(to_core(settings.hint_loops), stacks);

  core::SplitOptions options;
  options.mode =
      static_cast<int>(settings.cn_define_mode.value_or(given.by_layer ? core::split_by_layer : 1));
  if (given.by_layer && options.mode != core::split_by_layer)
    throw core::InputError(fmt::format(
        "hint_loops are given layer by layer, which is cn_define_mode 3, but cn_define_mode is {}",
        options.mode));
  options.weight_share = settings.split_W_percentage;
  options.rules = settings.rules();
  options.loops = given.loops;
  if (options.mode == core::split_by_layer)
    options.cut_entries = hints_by_layer(settings, given, std::move(stacks), workload, accelerator);
  return options;
}

}  // namespace

Results GenerateCNWorkloadHybridStage::run(Value ctx) {
  const auto workload = object<core::Workload>(ctx, "workload"_n, "workload");
  const auto accelerator =
      object<core::MultiCoreAccelerator>(ctx, "multi_core_accelerator"_n, "multi_core_accelerator");
  std::vector<std::string> warnings;
  const core::SplitOptions options = options_of(*this, *workload, *accelerator);
  if (options.mode != 4 && split_W_percentage != 1)
    log(Level::warning,
        fmt::format("'split_W_percentage' has no effect: it is of cn_define_mode 4, and the mode is {}",
                    options.mode));
  core::ComputationNodeGraph graph = core::split_into_nodes(*workload, *accelerator, options, warnings);
  for (const std::string& warning : warnings) log(Level::warning, warning);
  log(Level::info, fmt::format("{}: {} layers in {} computation nodes with {} dependencies", graph.name,
                               graph.layers.size(), graph.nodes.size(), graph.dependencies.size()));
  count("computation nodes", graph.nodes.size());
  count("dependencies", graph.dependencies.size());
  const Value below = with(ctx, {{"computation_nodes"_n, wrap(std::move(graph))}});
  MissingWork::report(*this, *workload);
  for (Result& result : substage(below)) {
    result.evaluation = MissingWork::marked(result.evaluation, *workload);
    co_yield std::move(result);
  }
}

}  // namespace zz::plugins
