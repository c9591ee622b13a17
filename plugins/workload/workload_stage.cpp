#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/search/temporal/topmost_room.hpp"
#include "core/workload/workload.hpp"
#include "plugins/internal/network_metrics.hpp"
#include "plugins/internal/network_room.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/placed_layers.hpp"
#include "plugins/internal/plugin.hpp"
#include "plugins/internal/shared_settings.hpp"
#include "plugins/internal/this_run.hpp"

namespace zz::plugins {
namespace {

/// Opens the chain below once for each layer of the network.
class WorkloadStage : public Stage, public CapacitySetting, public CompatSetting {
 public:
  static constexpr Description description{
      .id = "org.zz.WorkloadStage",
      .name = "WorkloadStage",
      .summary = "opens the chain below once per layer of the network",
      .doc =
          R"(Walks the network `workload` in topological order and opens the chain below for each layer, with
`layer` and `accelerator`. Layers that work on elements (softmax, normalisations, activations, ...) go to the
`vector_unit`, if there is one, all of whose lanes work whatever the axes are called. Operators that are kept only for
their connections (activations, reshapes, ...) have no cost and are passed over; the log lists them once with their
share of the network's output elements. On in-memory-computing arrays, layers of type Pooling and Add are passed over
and listed, too.

Bits that the network leaves open (floating-point types of 16 bits and more, partial sums) are those of the
`operand_precision` of the array, or of the vector unit. A line tells of it.

A network whose weights, cached keys and values and largest inputs and results do not fit into the outermost memories of
the accelerator is refused, unless `ignore_capacity` or `compat` is set: then a warning says by how much. With
`ignore_capacity` a memory is taken for larger where one layer does not fit into it by itself; a warning says so, too.

Yields (evaluation, [layer, extra]) for each result from below, layer by layer; for a network without a layer that has
a cost, one evaluation of nothing, with a warning. A SumStage above makes the total:

```yaml
stages: [..., SumStage, WorkloadStage, MinimalLatencyStage, SpatialMappingGeneratorStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  static constexpr auto params = zz::params(capacity_setting, compat_setting);
  static constexpr Port consumes[] = {
      zz::object("workload", "workload", "the network whose layers are mapped"),
      zz::object("accelerator", "accelerator", "what the layers are mapped on"),
      zz::object("vector_unit", "accelerator", "what layers that work on elements are mapped on")
          .optional()};
  static constexpr Port provides[] = {
      zz::object("layer", "layer", "one layer of the network"),
      zz::object("accelerator", "accelerator", "the accelerator, or the vector unit"),
      zz::port("missing_work", ZZ_STR, "a sentence on operators without a cost that may multiply")
          .optional()};
  static constexpr auto& metrics = MissingWork::metrics;

  Value check(Value ctx) const;
  Value makes() const {
    return make(nullptr, {{"makes", "layers"}, {"compat", compat}, {"ignore_capacity", ignore_capacity}});
  }
  Results run(Value ctx);

 private:
  std::atomic<bool> reported_ = false;
};

/// Leaves the layers of that name, where there is one; else all of them.
void keep_only(PlacedLayers& placed, const std::string& name) {
  PlacedLayers kept;
  for (std::size_t i = 0; i < placed.layers.size(); ++i) {
    if (placed.layers[i]->name != name) continue;
    kept.layers.push_back(placed.layers[i]);
    kept.on_unit.push_back(placed.on_unit[i]);
  }
  if (kept.layers.empty()) return;
  placed.layers = std::move(kept.layers);
  placed.on_unit = std::move(kept.on_unit);
}

/// Checks that every layer can be mapped and the network fits. Gives the first layer.
Value WorkloadStage::check(Value ctx) const {
  const auto workload = object<core::Workload>(ctx, "workload"_n, "workload");
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  const Value vector_unit = ctx["vector_unit"_n].is_null() ? Value() : ctx.hold(ctx["vector_unit"_n]);
  const auto unit = object_or_null<core::Accelerator>(vector_unit);
  const PlacedLayers placed = place_layers(*workload, *accelerator, unit.get(), no_scales_with(compat));
  if (placed.layers.empty()) return {};
  check_placed(placed, *accelerator, unit.get());
  check_room(*this, *workload, placed.layers, accelerator, rules(), capacity(!compat.empty()));
  for (std::size_t i = 0; i < placed.layers.size(); ++i)
    core::refuse_small_topmost_memories(*placed.layers[i], placed.on_unit[i] ? *unit : *accelerator,
                                        rules());
  const Value below = with(ctx, {{"layer"_n, wrap(placed.layers.front())}});
  return placed.on_unit.front() ? with(below, {{"accelerator"_n, vector_unit}}) : below;
}

Results WorkloadStage::run(Value ctx) {
  const auto workload = object<core::Workload>(ctx, "workload"_n, "workload");
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  Value vector_unit = ctx["vector_unit"_n].is_null() ? Value() : ctx.hold(ctx["vector_unit"_n]);
  auto unit = object_or_null<core::Accelerator>(vector_unit);
  // A stage above may have given the core another clock.
  if (unit != nullptr && unit->clock_period != accelerator->clock_period) {
    unit = core::with_clock(unit, accelerator->clock_period);
    vector_unit = wrap(unit);
  }
  PlacedLayers placed = place_layers(*workload, *accelerator, unit.get(), no_scales_with(compat));
  const bool reported = reported_.exchange(true);
  if (!reported) report_placed(*this, *workload, *accelerator, unit.get(), placed);
  const std::vector<std::shared_ptr<const core::Layer>>& layers = placed.layers;
  if (layers.empty()) {
    log(Level::warning, "no layer has a cost: energy and latency of the network are 0");
    co_yield Result(sum({}));
    co_return;
  }
  check_placed(placed, *accelerator, unit.get());
  const auto roomy =
      check_room(*this, *workload, layers, accelerator, rules(), capacity(!compat.empty()), reported);

  const core::ChipArea area = area_with_unit(*accelerator, unit.get());
  keep_only(placed, only_layer_of_run());
  const std::string missing = MissingWork::note(*workload);
  const Value named = missing.empty() ? ctx : with(ctx, {{"missing_work"_n, missing}});
  const Value below = roomy == accelerator ? named : with(named, {{"accelerator"_n, wrap(roomy)}});
  std::vector<Value> mapped;
  for (const auto& layer : layers) mapped.push_back(wrap(layer));
  Progress display = progress("layers", mapped.size());
  uint32_t first = 0;
  for (const uint32_t size : core::groups_of_distinct_names(layers)) {
    auto runs = ordered(
        size,
        [&](uint32_t i) {
          const Value own = with(below, {{"layer"_n, mapped[first + i]}});
          return placed.on_unit[first + i] ? with(own, {{"accelerator"_n, vector_unit}}) : own;
        },
        &display);
    for (Result result; runs.next(result);) {
      const Value extra = make(nullptr, list({mapped[first + runs.index()], result.extra}));
      co_yield Result(with_network_figures(result.evaluation, *workload, area), extra);
    }
    first += size;
  }
  count("layers", mapped.size());
}

}  // namespace

ZZ_PLUGIN_STAGE(WorkloadStage)

}  // namespace zz::plugins
