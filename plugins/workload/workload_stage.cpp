#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/hardware/layer_dataflow.hpp"
#include "core/hardware/layer_fit.hpp"
#include "core/workload/layer_precision.hpp"
#include "core/workload/workload.hpp"
#include "plugins/internal/network_metrics.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/plugin.hpp"

namespace zz::plugins {
namespace {

/// Opens the chain below once for each layer of the network.
class WorkloadStage : public Stage {
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

Yields (evaluation, [layer, extra]) for each result from below, layer by layer; for a network without a layer that has
a cost, one evaluation of nothing, with a warning. A SumStage above makes the total:

```yaml
stages: [..., SumStage, WorkloadStage, MinimalLatencyStage, SpatialMappingGeneratorStage, ...]
```)",
      .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

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

  Results run(Value ctx);

 private:
  void report_what_has_no_cost(const core::Workload& workload,
                               const std::vector<std::shared_ptr<const core::Layer>>& left_out);

  void report_adopted(const core::Accelerator& accelerator, std::size_t layers);

  std::atomic<bool> reported_ = false, told_precision_ = false;
};

/// A sentence on the operators that an estimate leaves out. It tells their types with counts, and their
/// share of the elements that all operators of the network write.
std::string operators_without_cost(const core::Workload& workload) {
  std::vector<std::pair<std::string, int>> types;  // in order of appearance
  double elements = 0;
  for (const core::PassThroughNode& node : workload.pass_through) {
    elements += static_cast<double>(node.output_elements);
    const auto known =
        std::find_if(types.begin(), types.end(), [&](const auto& type) { return type.first == node.type; });
    if (known == types.end())
      types.emplace_back(node.type, 1);
    else
      ++known->second;
  }
  double all_elements = elements;
  for (const auto& layer : workload.layers)
    all_elements += static_cast<double>(layer->operand_elements(0, {}));

  std::string text = "operators without cost:";
  const char* separator = " ";
  for (const auto& [type, count] : types) {
    text += fmt::format("{}{} {}", separator, count, type);
    separator = ", ";
  }
  if (elements > 0)
    text += fmt::format("; they write {:.0f} % of all elements", 100 * elements / all_elements);
  return text;
}

/// "in-memory computing leaves out 2 layers: shortcut (Add), pool (Pooling); they have 1 % of all
/// operations"
std::string layers_left_out(const core::Workload& workload,
                            const std::vector<std::shared_ptr<const core::Layer>>& left_out) {
  double operations = 0;
  double all_operations = 0;
  for (const auto& layer : workload.layers) all_operations += static_cast<double>(layer->mac_count());
  std::string text = fmt::format("in-memory computing leaves out {} layer{}:", left_out.size(),
                                 left_out.size() == 1 ? "" : "s");
  const char* separator = " ";
  for (const auto& layer : left_out) {
    operations += static_cast<double>(layer->mac_count());
    text += fmt::format("{}{} ({})", separator, layer->name, layer->type);
    separator = ", ";
  }
  return text + fmt::format("; they have {:.3g} % of all operations", 100 * operations / all_operations);
}

void check_fit(const std::vector<std::shared_ptr<const core::Layer>>& layers,
               const core::Accelerator& accelerator) {
  const std::string misfits = core::why_not_all_fit(layers, accelerator);
  if (!misfits.empty()) throw Error(ZZ_E_INVALID, misfits);
}

/// Throws ZZ_E_NO_RESULT when a layer has no mapping whatever is searched.
void check_elements(const std::vector<std::shared_ptr<const core::Layer>>& layers,
                    const core::Accelerator& accelerator) {
  for (const auto& layer : layers)
    if (const std::string none = core::why_no_element_fits(*layer, accelerator); !none.empty())
      throw Error(ZZ_E_NO_RESULT, none);
}

/// "W 8, I 8, O 24, O_final 8"
std::string precision_text(const std::vector<core::OperandPrecision>& precision) {
  std::string text;
  for (const auto& [operand, bits] : precision)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", operand, bits);
  return text;
}

/// The layer with the unrolling that the vector unit has for it, in place of the array's.
std::shared_ptr<const core::Layer> on_lanes(const core::Layer& layer, const core::Accelerator& unit) {
  auto prescribed = std::make_shared<core::Layer>(layer);
  prescribed->mapping.spatial_mapping = core::dataflow_of_layer(layer, unit);
  prescribed->mapping.spatial_hints.clear();
  return prescribed;
}

/// The layer with the bits of the units, where the network says none; counts those that change.
std::shared_ptr<const core::Layer> with_precision_of(const core::Accelerator& accelerator,
                                                     const std::shared_ptr<const core::Layer>& layer,
                                                     std::size_t& adopted) {
  if (layer->assumed_precision.empty() || accelerator.array.operand_precision.empty()) return layer;
  auto mapped = std::make_shared<core::Layer>(*layer);
  if (core::adopt_precision(*mapped, accelerator.array.operand_precision)) ++adopted;
  return mapped;
}

Results WorkloadStage::run(Value ctx) {
  const auto workload = object<core::Workload>(ctx, "workload"_n, "workload");
  const auto accelerator = object<core::Accelerator>(ctx, "accelerator"_n, "accelerator");
  const Value vector_unit = ctx["vector_unit"_n].is_null() ? Value() : ctx.hold(ctx["vector_unit"_n]);
  const auto unit = object_or_null<core::Accelerator>(vector_unit);
  std::vector<std::shared_ptr<const core::Layer>> layers, on_array, on_vector_unit, left_out;
  std::size_t adopted = 0;
  for (auto& written : workload->layers_in_order()) {
    const bool of_unit = unit && written->vector_work && !unit->array.operand_precision.empty();
    auto layer = with_precision_of(of_unit ? *unit : *accelerator, written, adopted);
    if (unit && layer->vector_work)
      layers.push_back(on_vector_unit.emplace_back(on_lanes(*layer, *unit)));
    else if (core::can_map(*layer, *accelerator))
      layers.push_back(on_array.emplace_back(std::move(layer)));
    else
      left_out.push_back(std::move(layer));
  }
  report_what_has_no_cost(*workload, left_out);
  report_adopted(*accelerator, adopted);

  if (layers.empty()) {
    log(Level::warning, "no layer has a cost: energy and latency of the network are 0");
    co_yield Result(sum({}));
    co_return;
  }

  check_fit(on_array, *accelerator);
  if (unit) check_fit(on_vector_unit, *unit);
  check_elements(on_array, *accelerator);
  if (unit) check_elements(on_vector_unit, *unit);

  const std::string missing = MissingWork::note(*workload);
  const Value below = missing.empty() ? ctx : with(ctx, {{"missing_work"_n, missing}});
  std::vector<Value> mapped;
  for (const auto& layer : layers) mapped.push_back(wrap(layer));
  Progress display = progress("layers", mapped.size());
  uint32_t first = 0;
  for (const uint32_t size : core::groups_of_distinct_names(layers)) {
    auto runs = ordered(
        size,
        [&](uint32_t i) {
          const Value own = with(below, {{"layer"_n, mapped[first + i]}});
          const bool vector = unit && layers[first + i]->vector_work;
          return vector ? with(own, {{"accelerator"_n, vector_unit}}) : own;
        },
        &display);
    for (Result result; runs.next(result);) {
      const Value extra = make(nullptr, list({mapped[first + runs.index()], result.extra}));
      co_yield Result(MissingWork::marked(result.evaluation, *workload), extra);
    }
    first += size;
  }
  count("layers", mapped.size());
}

void WorkloadStage::report_what_has_no_cost(
    const core::Workload& workload, const std::vector<std::shared_ptr<const core::Layer>>& left_out) {
  if (reported_.exchange(true)) return;
  MissingWork::report(*this, workload);
  if (!workload.pass_through.empty()) {
    log(Level::info, operators_without_cost(workload));
    count("operators without cost", workload.pass_through.size());
  }
  if (!left_out.empty()) {
    log(Level::info, layers_left_out(workload, left_out));
    count("layers left out", left_out.size());
  }
}

void WorkloadStage::report_adopted(const core::Accelerator& accelerator, std::size_t layers) {
  if (layers == 0 || told_precision_.exchange(true)) return;
  log(Level::info, fmt::format("{} layer{} run{} with the bits of the units of {}: {}; `precision: file` "
                               "keeps those of the network",
                               layers, layers == 1 ? "" : "s", layers == 1 ? "s" : "", accelerator.name,
                               precision_text(accelerator.array.operand_precision)));
}

}  // namespace

ZZ_PLUGIN_STAGE(WorkloadStage)

}  // namespace zz::plugins
