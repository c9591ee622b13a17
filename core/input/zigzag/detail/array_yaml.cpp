#include "core/input/zigzag/detail/array_yaml.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/hardware/open_costs.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "core/input/zigzag/detail/accelerator_keys.hpp"
#include "core/input/zigzag/detail/cost_yaml.hpp"
#include "core/input/zigzag/detail/precision_yaml.hpp"
#include "core/input/zigzag/detail/sparsity_yaml.hpp"
#include "core/input/zigzag/detail/unrolling_yaml.hpp"

namespace zz::core {
namespace {

void read_dimensions(yaml::MapReader& map, OperationalArray& array, const yaml::Node& node,
                     Diagnostics& diagnostics) {
  std::vector<std::string> names;
  std::vector<std::int64_t> sizes;
  const bool has_names = map.find("dimensions", names);
  const bool has_sizes = map.find("sizes", sizes);
  if (!has_names || !has_sizes) return;
  if (names.size() != sizes.size()) {
    diagnostics.error(
        node.find("sizes")->mark,
        fmt::format("the operational array has {} sizes for {} dimensions", sizes.size(), names.size()));
    return;
  }
  for (std::size_t i = 0; i < names.size(); ++i) array.dimensions.push_back({names[i], sizes[i]});
}

/// `input_precision`: of activations and weights; empty when absent or wrong.
std::vector<std::int64_t> read_input_precision(yaml::MapReader& map, const yaml::Node* node,
                                               Diagnostics& diagnostics) {
  std::vector<std::int64_t> precision;
  if (node == nullptr || !yaml::read(*node, map.what("input_precision"), precision, diagnostics)) return {};
  if (precision.size() == 2) return precision;
  diagnostics.error(node->mark,
                    fmt::format("{} must be two whole numbers (activations, weights), but found {}",
                                map.what("input_precision"), precision.size()));
  return {};
}

void read_imc(yaml::MapReader& map, OperationalArray& array, Diagnostics& diagnostics) {
  ImcProperties imc;
  map.find("imc_type", imc.imc_type);
  map.find("adc_resolution", imc.adc_resolution);
  map.find("bit_serial_precision", imc.bit_serial_precision);
  const auto precision = read_input_precision(map, map.find("input_precision"), diagnostics);
  if (precision.size() == 2) {
    imc.activation_precision = precision[0];
    imc.weight_precision = precision[1];
  }
  map.find("unit_energy", array.unit_energy);
  map.find("unit_area", array.unit_area);
  array.imc = imc;
}

void read_multipliers(yaml::MapReader& map, OperationalArray& array, ArrayForm form,
                      Diagnostics& diagnostics) {
  const bool old_names = form == ArrayForm::old_names;
  const auto take = [&](const char* key, double& target) {
    target = open_cost;
    if (const yaml::Node* value = map.find(key)) read_cost(*value, map.what(key), target, diagnostics);
  };
  take(old_names ? "multiplier_energy" : "unit_energy", array.unit_energy);
  take(old_names ? "multiplier_area" : "unit_area", array.unit_area);
  read_input_precision(map, map.find("input_precision"), diagnostics);
  for (const char* key : {"imc_type", "adc_resolution", "bit_serial_precision"}) {
    const yaml::Node* value = map.find(key);
    if (value == nullptr || (std::string(key) == "adc_resolution" && value->as_double() == 0.0)) continue;
    diagnostics.error(value->mark,
                      fmt::format("'{}' belongs to in-memory computing, but is_imc is not true", key),
                      "leave it out, or write is_imc: true");
  }
}

/// The units that count while an array fills or drains.
void read_fold_units(yaml::MapReader& map, const char* key, FoldUnits& target, Diagnostics& diagnostics) {
  std::string text;
  const yaml::Node* node = map.find(key);
  if (node == nullptr || !yaml::read(*node, map.what(key), text, diagnostics)) return;
  const std::vector<std::string>& known = fold_keys().find(key)->form.words;
  const auto named = std::find(known.begin(), known.end(), text);
  if (named == known.end())
    diagnostics.error(node->mark, fmt::format("{} is '{}'", map.what(key), text), suggestion(text, known));
  else
    target = static_cast<FoldUnits>(named - known.begin());
}

ArrayFold read_fold(const yaml::Node& node, Diagnostics& diagnostics) {
  ArrayFold fold;
  yaml::MapReader map(node, "'fold' of the operational array", fold_keys(), diagnostics);
  if (!node.is_map()) return fold;
  map.find("operand", fold.operand);
  read_fold_units(map, "fill", fold.fill, diagnostics);
  read_fold_units(map, "drain", fold.drain, diagnostics);
  if (map.find("preload", fold.preload) && fold.preload == "none") fold.preload.clear();
  map.find("overlapped", fold.overlapped);
  map.finish();
  return fold;
}

ArrayInstruction read_instruction(const yaml::Node& node, Diagnostics& diagnostics) {
  ArrayInstruction instruction;
  yaml::MapReader map(node, "'instruction' of the operational array", instruction_keys(), diagnostics);
  if (!node.is_map()) return instruction;
  map.find("operand", instruction.operand);
  if (const yaml::Node* along = map.find("along");
      along != nullptr && yaml::read(*along, map.what("along"), instruction.along, diagnostics)) {
    for (std::size_t i = 0; i < instruction.along.size(); ++i) {
      if (is_loop_dimension_name(instruction.along[i])) continue;
      diagnostics.error(along->items[i].mark,
                        fmt::format("{} names '{}', which cannot be a loop dimension", map.what("along"),
                                    instruction.along[i]),
                        "names are capital letters, and digits behind them, as OX");
    }
  }
  map.find("rows", instruction.rows);
  map.find("min_cycles", instruction.min_cycles);
  map.find("reload_cycles", instruction.reload_cycles);
  map.find("interval", instruction.interval);
  map.finish();
  return instruction;
}

ArrayForm form_of(const yaml::Node& node) {
  const yaml::Node* const imc = node.find("is_imc");
  if (imc != nullptr && imc->as_bool() == true) return ArrayForm::imc;
  const bool old_names =
      node.find("multiplier_energy") != nullptr || node.find("multiplier_area") != nullptr;
  return old_names ? ArrayForm::old_names : ArrayForm::plain;
}

}  // namespace

OperationalArray read_operational_array(const yaml::Node& node, Units units, bool costs_are_open,
                                        Diagnostics& diagnostics) {
  OperationalArray array;
  const ArrayForm form = form_of(node);
  yaml::MapReader map(node, "the operational array", array_keys(units, costs_are_open, form), diagnostics);
  if (!node.is_map()) return array;
  bool is_imc = false;
  map.find("is_imc", is_imc);
  read_dimensions(map, array, node, diagnostics);
  map.find("systolic_dimensions", array.systolic_dimensions);
  if (const yaml::Node* precision = map.find("operand_precision"))
    array.operand_precision = read_precisions(*precision, map.what("operand_precision"), diagnostics);
  map.find("converts", array.converts);
  map.find("efficiency", array.efficiency);
  if (const yaml::Node* on_zero = map.find("on_zero"))
    array.on_zero = read_on_zero(*on_zero, map.what("on_zero"), diagnostics);
  if (!is_imc && map.find("skip_together", array.skip_together) && node.find("on_zero") == nullptr)
    diagnostics.error(node.find("skip_together")->mark,
                      map.what("skip_together") + " says how zeros are skipped, but none are",
                      "add on_zero, as {I: skip}");
  if (const yaml::Node* fold = map.find("fold")) array.fold = read_fold(*fold, diagnostics);
  if (const yaml::Node* instruction = map.find("instruction"))
    array.instruction = read_instruction(*instruction, diagnostics);
  if (is_imc) {
    read_imc(map, array, diagnostics);
  } else {
    read_multipliers(map, array, form, diagnostics);
  }
  map.finish();
  return array;
}

}  // namespace zz::core
