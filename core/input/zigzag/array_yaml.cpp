#include "core/input/zigzag/array_yaml.hpp"

#include <fmt/format.h>

#include "core/input/yaml/map_reader.hpp"

namespace zz::core {
namespace {

void read_dimensions(yaml::MapReader& map, OperationalArray& array, const yaml::Node& node,
                     Diagnostics& diagnostics) {
  std::vector<std::string> names;
  std::vector<std::int64_t> sizes;
  const bool has_names = map.required("dimensions", names);
  const bool has_sizes = map.required("sizes", sizes);
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
  map.required("imc_type", imc.imc_type);
  map.nullable("adc_resolution", imc.adc_resolution);
  map.required("bit_serial_precision", imc.bit_serial_precision);
  const auto precision = read_input_precision(map, map.required("input_precision"), diagnostics);
  if (precision.size() == 2) {
    imc.activation_precision = precision[0];
    imc.weight_precision = precision[1];
  }
  map.optional("unit_energy", array.unit_energy);
  map.optional("unit_area", array.unit_area);
  array.imc = imc;
}

void read_multipliers(yaml::MapReader& map, OperationalArray& array, const yaml::Node& node,
                      Diagnostics& diagnostics) {
  // The names up to ZigZag 3.8.1 are accepted, too.
  const bool old_names =
      node.find("multiplier_energy") != nullptr || node.find("multiplier_area") != nullptr;
  map.required(old_names ? "multiplier_energy" : "unit_energy", array.unit_energy);
  map.required(old_names ? "multiplier_area" : "unit_area", array.unit_area);
  read_input_precision(map, map.optional("input_precision"), diagnostics);
  for (const char* key : {"imc_type", "adc_resolution", "bit_serial_precision"}) {
    const yaml::Node* value = map.nullable(key);
    if (value == nullptr || (std::string(key) == "adc_resolution" && value->as_double() == 0.0)) continue;
    diagnostics.error(value->mark,
                      fmt::format("'{}' belongs to in-memory computing, but is_imc is not true", key),
                      "leave it out, or write is_imc: true");
  }
}

}  // namespace

OperationalArray read_operational_array(const yaml::Node& node, Diagnostics& diagnostics) {
  OperationalArray array;
  yaml::MapReader map(node, "the operational array", diagnostics);
  if (!node.is_map()) return array;
  bool is_imc = false;
  map.optional("is_imc", is_imc);
  read_dimensions(map, array, node, diagnostics);
  if (is_imc) {
    read_imc(map, array, diagnostics);
  } else {
    read_multipliers(map, array, node, diagnostics);
  }
  map.finish();
  return array;
}

}  // namespace zz::core
