#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/hardware/layer_sparsity.hpp"
#include "core/input/stream/hint_text.hpp"
#include "core/multicore/graph/layer_stacks.hpp"
#include "core/multicore/graph/split.hpp"
#include "core/multicore/schedule/core_costs.hpp"
#include "plugins/internal/network_metrics.hpp"
#include "plugins/internal/network_room.hpp"
#include "plugins/internal/placed_layers.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/stream/plain_values.hpp"

namespace zz::plugins {
namespace {

/// Splits the layers of a network into computation nodes and connects these.
class GenerateCNWorkloadHybridStage : public Stage, public CapacitySetting, public CompatSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.GenerateCNWorkloadHybridStage",
      .name = "GenerateCNWorkloadHybridStage",
      .aliases = "HintLoopsPartitionedWorkloadGenerationStage|TiledWorkloadGenerationStage",
      .summary = "splits layers into computation nodes and finds what depends on what",
      .doc =
          R"(Cuts each layer of `workload` into pieces, makes each a node of the schedule (Stream's computation node, CN), and
finds which node needs data of which other one. The result is handed down as `computation_nodes`.

`hint_loops` is the cut, the loops and the number of pieces of each: `[[OY, all], [K, 2]]` cuts every row apart and the
output channels in two halves. The first loop is the innermost: its pieces follow each other. A loop that a layer
lacks is passed over; one that no layer has is an error. Where a count does not divide a loop the last piece is
smaller: 540 rows in 39 pieces are 38 of 14 and one of 8. A count beyond the size of a loop is its size. What
`hint_loops` means depends on `cn_define_mode`:

* 1: outer loops, the same for every layer.
* 2: inner loops, the same for every layer: `[[OY, 4]]` makes pieces of at most 4 rows, as few and as equal as can
  be, of one iteration of every loop that is not named.
* 3: outer loops layer by layer: a map `{"0,1,2": [[OY, all]], "3": [[K, 4]]}`, or a list with one cut
  for each stack of layers. Stacks are `layer_stacks`, or `layer_cutoffs` names the last layer of each: with
  `layer_cutoffs: [2]`, `hint_loops: [[[OY, all]], [[K, 4]]]` says the same as the map (the last list needs no
  cutoff). Without `hint_loops`, stacks are found as DetermineLayerStacksStage does, and cut as
  DetermineHintLoopsStage does.
* 4: as 1, and layers that have several cores to choose from are cut along K too, so finely that the weights of a
  piece fill at most the share `split_W_percentage` of the smallest weight memory among those cores.

Nodes of a layer that read the same weights run on one core. With `[OY, 28, spread]` the pieces of that loop may run on
different cores all the same: each core fetches the weights, and the allocation has a choice for each piece. That pays
for first layers, which have few weights and much work. With `[[K, 64], [D, 4, lockstep]]` nodes that differ in D alone
run together, and each slice of the weights is one transfer to all of their cores: for weights that no core can hold.

With `samples: N` the network is that of one sample and runs N times, with the same constants: a batch. Each sample has
nodes of its own, so that samples may be in flight together. `[SAMPLES, 4]` as the last loop of a cut makes nodes of a
quarter of the samples each, `[SAMPLES, 1]` of all of them. Nodes that read the same constants run on one core, those of
all samples, one after the other; with `[SAMPLES, all, spread]` the samples of a layer may run on different cores, each
of which fetches the constants. A network that hands something on from one sample to the next, as
a decoder with cached keys and values does, is refused, and so are hint loops that cut a batch loop of its own, too.

Without `cn_define_mode` it is 3 when `hint_loops` is by layer, and else 1.

Nodes of a layer that read the same weights are a group: they run on one core, one after the other. So do nodes that
add up to the same output. A node needs another one when the elements that it reads and that the other one finishes
overlap, halos included; operators without cost between them (reshape, transpose, flatten, gather, concat) are
followed element by element where they change the shape.

```yaml
parameters: {cn_define_mode: 1, hint_loops: [[OY, all]]}
stages: [AcceleratorParserStage, StreamONNXModelParserStage, GenerateCNWorkloadHybridStage, IntraCoreMappingStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::optional<int64_t> cn_define_mode;
  Value hint_loops;
  std::vector<int64_t> layer_cutoffs;
  double split_W_percentage = 1;
  int64_t samples = 1;
  Value layer_stacks;
  std::string mode = "fused";
  std::optional<int64_t> stack_cutoff;
  std::vector<int64_t> stack_cutoffs;
  static constexpr auto params = zz::params(
      param<&GenerateCNWorkloadHybridStage::cn_define_mode>(
          "cn_define_mode",
          "what hint_loops are: 1 outer loops, 2 inner loops, 3 outer loops by layer, 4 outer loops and K "
          "as "
          "far as weights need it")
          .allowed("[1, 4]"),
      param<&GenerateCNWorkloadHybridStage::hint_loops>(
          "hint_loops",
          "the loops to cut, as [[OY, 4], [K, all]], or by layer ids, as {\"0,1\": [[OY, all]]}"),
      param<&GenerateCNWorkloadHybridStage::layer_cutoffs>(
          "layer_cutoffs",
          "when hint_loops is a list of lists: the last layer id that each of them is for; the last list "
          "needs none"),
      param<&GenerateCNWorkloadHybridStage::split_W_percentage>(
          "split_W_percentage",
          "mode 4: share of the smallest weight memory that the weights of a node may fill")
          .allowed("(0, 1]"),
      param<&GenerateCNWorkloadHybridStage::samples>("samples",
                                                     "how often the network, which is then that of one "
                                                     "sample, runs with the same constants; samples may "
                                                     "be in flight together")
          .allowed("[1, 100000]"),
      param<&GenerateCNWorkloadHybridStage::layer_stacks>(
          "layer_stacks", "mode 3: lists of layer ids that run fused; without them they are determined"),
      param<&GenerateCNWorkloadHybridStage::mode>(
          "mode", "mode 3 without hint_loops: fused, stacks of layers; lbl, layer by layer")
          .allowed("fused|lbl")
          .alias("stage_mode"),
      param<&GenerateCNWorkloadHybridStage::stack_cutoff>(
          "stack_cutoff", "determining stacks: last layer id of the one stack; later layers are alone")
          .allowed("[0, inf]"),
      param<&GenerateCNWorkloadHybridStage::stack_cutoffs>(
          "stack_cutoffs",
          "determining stacks: last layer id of each stack, ascending; later layers are alone"),
      capacity_setting, compat_setting);
  static constexpr Port consumes[] = {zz::object("workload", "workload", "the network"),
                                      zz::object("multi_core_accelerator", "multi_core_accelerator",
                                                 "its weight memories decide in mode 4 and about stacks")};
  static constexpr Port provides[] = {zz::object("computation_nodes", "computation_node_graph",
                                                 "the nodes with their tensors and dependencies")};
  static constexpr auto& metrics = MissingWork::metrics;

  void prepare();
  Value check(Value ctx) const;
  Results run(Value ctx);
};

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
  options.samples = static_cast<int>(settings.samples);
  options.loops = given.loops;
  if (options.mode == core::split_by_layer)
    options.cut_entries = hints_by_layer(settings, given, std::move(stacks), workload, accelerator);
  return options;
}

void GenerateCNWorkloadHybridStage::prepare() {
  if (samples == 1 || compat.empty()) return;
  throw Error(ZZ_E_INVALID, fmt::format("'samples' is {}, but Stream knows nothing of samples that share "
                                        "constants; leave out 'samples' or 'compat: {}'",
                                        samples, compat));
}

Value GenerateCNWorkloadHybridStage::check(Value ctx) const {
  const auto accelerator =
      object<core::MultiCoreAccelerator>(ctx, "multi_core_accelerator"_n, "multi_core_accelerator");
  const auto workload = with_scales_of_cores(*this, object<core::Workload>(ctx, "workload"_n, "workload"),
                                             *accelerator, no_scales_with(compat), false);
  core::check_core_allocation(*workload, *accelerator, rules());
  check_room_off_chip(*this, *workload, *accelerator, rules(), capacity(!compat.empty()));
  std::vector<std::string> warnings;
  core::ComputationNodeGraph graph =
      core::split_into_nodes(*workload, *accelerator, options_of(*this, *workload, *accelerator), warnings);
  return with(ctx, {{"computation_nodes"_n, wrap(std::move(graph))}});
}

Results GenerateCNWorkloadHybridStage::run(Value ctx) {
  const auto accelerator =
      object<core::MultiCoreAccelerator>(ctx, "multi_core_accelerator"_n, "multi_core_accelerator");
  const auto workload = with_scales_of_cores(*this, object<core::Workload>(ctx, "workload"_n, "workload"),
                                             *accelerator, no_scales_with(compat), true);
  for (const std::string& told : core::zeros_on_several_cores(workload->layers, accelerator->cores))
    log(Level::warning, told);
  for (const std::string& told : core::unrollings_passed_over(*workload, *accelerator))
    log(Level::warning, told);
  core::check_core_allocation(*workload, *accelerator, rules());
  check_room_off_chip(*this, *workload, *accelerator, rules(), capacity(!compat.empty()));
  std::vector<std::string> warnings;
  const core::SplitOptions options = options_of(*this, *workload, *accelerator);
  if (options.mode != 4 && split_W_percentage != 1)
    log(Level::warning,
        fmt::format("'split_W_percentage' has no effect: it is of cn_define_mode 4, and the mode is {}",
                    options.mode));
  core::ComputationNodeGraph graph = core::split_into_nodes(*workload, *accelerator, options, warnings);
  for (const std::string& warning : warnings) log(Level::warning, warning);
  log(Level::info,
      fmt::format("{}: {} layers{} in {} computation nodes with {} dependencies", graph.name,
                  graph.layers.size(), samples > 1 ? fmt::format(", {} samples,", samples) : std::string(),
                  graph.nodes.size(), graph.dependencies.size()));
  count("computation nodes", graph.nodes.size());
  count("dependencies", graph.dependencies.size());
  const Value below = with(ctx, {{"computation_nodes"_n, wrap(std::move(graph))}});
  MissingWork::report(*this, *workload);
  for (Result& result : substage(below)) {
    result.evaluation = with_network_figures(result.evaluation, *workload, {}, samples);
    co_yield std::move(result);
  }
}

}  // namespace

ZZ_PLUGIN_STAGE(GenerateCNWorkloadHybridStage)

}  // namespace zz::plugins
