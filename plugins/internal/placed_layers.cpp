#include "plugins/internal/placed_layers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "core/hardware/layer_dataflow.hpp"
#include "core/hardware/layer_fit.hpp"
#include "core/hardware/layer_sparsity.hpp"
#include "core/hardware/memories_in_common.hpp"
#include "core/search/spatial/spatial_limits.hpp"
#include "plugins/internal/network_metrics.hpp"

namespace zz::plugins {
namespace {

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

/// Pooling, and Add and Mul of two results: readers for several cores make layers of these.
std::size_t counted_on_several_cores(const core::Workload& workload) {
  return static_cast<std::size_t>(std::count_if(
      workload.pass_through.begin(), workload.pass_through.end(), [](const core::PassThroughNode& node) {
        const bool pooling = node.type.find("pool") != std::string::npos;
        return pooling || ((node.type == "add" || node.type == "mul") && node.sources.size() > 1);
      }));
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
  for (const core::OperandPrecision& one : precision)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", one.operand,
                        one.scale.any() ? core::to_text(one.type()) : fmt::format("{}", one.bits));
  return text;
}

/// The layer with the unrolling that the vector unit has for it, in place of the array's.
std::shared_ptr<const core::Layer> on_lanes(const core::Layer& layer, const core::Accelerator& unit) {
  auto prescribed = std::make_shared<core::Layer>(layer);
  prescribed->mapping.spatial_mapping = core::dataflow_of_layer(layer, unit);
  prescribed->mapping.spatial_hints.clear();
  return prescribed;
}

/// The layer with the numbers that it has on the units which compute it; itself where they change nothing.
std::shared_ptr<const core::Layer> with_numbers_of(const core::Accelerator& accelerator,
                                                   const core::Accelerator* unit,
                                                   const std::shared_ptr<const core::Layer>& layer,
                                                   const std::string& no_scales,
                                                   core::NumbersOfUnits& numbers) {
  const bool assumed = !(layer->assumed_precision.empty() && layer->assumed_scales.empty());
  if (!assumed && accelerator.workload_sparsity.empty()) return layer;
  const bool of_unit = unit && layer->vector_work && !unit->array.operand_precision.empty();
  auto own = std::make_shared<core::Layer>(*layer);
  numbers = core::adopt_numbers(*own, accelerator, of_unit ? unit->array : accelerator.array, no_scales);
  return *own == *layer ? layer : own;
}

void report_without_scales(const Stage& stage, const core::IgnoredScales& layers) {
  for (const std::string& told : layers.sentences()) stage.log(Level::warning, told);
}

void report_adopted(const Stage& stage, const core::Accelerator& accelerator, std::size_t layers) {
  if (layers == 0) return;
  stage.log(Level::info,
            fmt::format("{} layer{} run{} with the bits of the units of {}: {}; `precision: file` "
                        "keeps those of the network",
                        layers, layers == 1 ? "" : "s", layers == 1 ? "s" : "", accelerator.name,
                        precision_text(accelerator.array.operand_precision)));
}

}  // namespace

PlacedLayers place_layers(const core::Workload& workload, const core::Accelerator& accelerator,
                          const core::Accelerator* unit, const std::string& no_scales) {
  PlacedLayers placed;
  if (unit) placed.in_common = core::memories_in_common(accelerator, *unit);
  if (std::all_of(placed.in_common.begin(), placed.in_common.end(),
                  [](int of_unit) { return of_unit < 0; }))
    placed.in_common.clear();
  for (auto& written : workload.layers_in_order()) {
    core::NumbersOfUnits numbers;
    auto layer = with_numbers_of(accelerator, unit, written, no_scales, numbers);
    if (numbers.adopted) ++placed.adopted;
    placed.without_scales.add(written->name, numbers.why_without_scales);
    const bool on_unit = unit && layer->vector_work;
    if (on_unit) {
      placed.layers.push_back(on_lanes(*layer, *unit));
    } else if (core::can_map(*layer, accelerator)) {
      placed.layers.push_back(std::move(layer));
    } else {
      placed.left_out.push_back(std::move(layer));
      continue;
    }
    placed.on_unit.push_back(on_unit);
  }
  return placed;
}

std::vector<std::shared_ptr<const core::Layer>> layers_with_numbers_of(
    const core::Accelerator& accelerator, const std::vector<std::shared_ptr<const core::Layer>>& layers,
    const std::string& no_scales) {
  std::vector<std::shared_ptr<const core::Layer>> adopting;
  for (const auto& layer : layers) {
    core::NumbersOfUnits numbers;
    adopting.push_back(with_numbers_of(accelerator, nullptr, layer, no_scales, numbers));
  }
  return adopting;
}

void check_placed(const PlacedLayers& placed, const core::Accelerator& accelerator,
                  const core::Accelerator* unit) {
  std::vector<std::shared_ptr<const core::Layer>> on_array, on_unit;
  for (std::size_t i = 0; i < placed.layers.size(); ++i)
    (placed.on_unit[i] ? on_unit : on_array).push_back(placed.layers[i]);
  check_fit(on_array, accelerator);
  for (const auto& layer : on_array) core::check_array_dimensions(*layer, accelerator);
  if (unit) check_fit(on_unit, *unit);
  check_elements(on_array, accelerator);
  if (unit) check_elements(on_unit, *unit);
}

namespace {

void report_zeros(const Stage& stage, const core::Workload& workload, const core::Accelerator& accelerator,
                  const core::Accelerator* unit, const PlacedLayers& placed) {
  std::vector<std::string> passed_over;
  for (const auto& layer : placed.left_out) passed_over.push_back(layer->name);
  for (const core::PassThroughNode& node : workload.pass_through) passed_over.push_back(node.name);
  for (const std::string& told : core::entries_without_tensors(accelerator, placed.layers, passed_over))
    stage.log(Level::warning, told);
  for (const bool on_unit : {false, true}) {
    const core::Accelerator* const machine = on_unit ? unit : &accelerator;
    std::vector<std::shared_ptr<const core::Layer>> layers;
    for (std::size_t i = 0; i < placed.layers.size(); ++i)
      if (placed.on_unit[i] == on_unit) layers.push_back(placed.layers[i]);
    if (machine == nullptr || layers.empty()) continue;
    for (const std::string& told : core::room_for_formats(*machine, layers)) stage.log(Level::info, told);
    for (const std::string& told : core::keys_without_zeros(*machine, layers))
      stage.log(Level::warning, told);
    if (on_unit && !machine->workload_sparsity.empty())
      stage.log(Level::warning,
                fmt::format("workload_sparsity of the vector unit '{}' does not count: that of '{}' is for "
                            "all layers",
                            machine->name, accelerator.name));
  }
}

}  // namespace

void report_placed(const Stage& stage, const core::Workload& workload, const core::Accelerator& accelerator,
                   const core::Accelerator* unit, const PlacedLayers& placed) {
  MissingWork::report(stage, workload);
  if (!workload.pass_through.empty()) {
    stage.log(Level::info, operators_without_cost(workload));
    stage.count("operators without cost", workload.pass_through.size());
    if (const std::size_t others = counted_on_several_cores(workload); others > 0)
      stage.count(
          "operators without cost that cost on several cores (pooling, sums and products of results)",
          others);
  }
  if (!placed.left_out.empty()) {
    stage.log(Level::info, layers_left_out(workload, placed.left_out));
    stage.count("layers left out", placed.left_out.size());
  }
  report_adopted(stage, accelerator, placed.adopted);
  report_without_scales(stage, placed.without_scales);
  report_zeros(stage, workload, accelerator, unit, placed);
}

std::shared_ptr<const core::Workload> with_scales_of_cores(
    const Stage& stage, const std::shared_ptr<const core::Workload>& workload,
    const core::MultiCoreAccelerator& accelerator, const std::string& no_scales, bool report) {
  std::shared_ptr<core::Workload> taken;
  core::IgnoredScales without_scales;
  for (std::size_t index = 0; index < workload->layers.size(); ++index) {
    const auto& layer = workload->layers[index];
    if (layer->assumed_scales.empty()) continue;
    auto own = std::make_shared<core::Layer>(*layer);
    std::string why;
    for (const std::int64_t number : layer->mapping.core_allocation) {
      if (number < 0 || number >= accelerator.core_count()) continue;
      const std::string of_core = core::leave_out_scales_on(
          *own, accelerator.cores[static_cast<std::size_t>(number)]->array, no_scales);
      if (why.empty()) why = of_core;
    }
    if (why.empty()) continue;
    without_scales.add(layer->name, why);
    if (!taken) taken = std::make_shared<core::Workload>(*workload);
    taken->layers[index] = std::move(own);
  }
  if (report) report_without_scales(stage, without_scales);
  return taken ? std::shared_ptr<const core::Workload>(std::move(taken)) : workload;
}

}  // namespace zz::plugins
