#include "tools/check_plugin/sample_values.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/input/yaml/document.hpp"
#include "core/multicore/graph/split.hpp"
#include "core/multicore/schedule/core_costs.hpp"
#include "core/schema/types.hpp"
#include "core/value/edit.hpp"
#include "host/values/setting_value.hpp"

namespace zz::host {
namespace {

constexpr const char* example = R"(
accelerator: &accelerator
  name: example
  memories:
    - &memory
      name: buffer
      size: 8192
      r_cost: 2.0
      w_cost: 3.0
      operands: [I1, I2, O]
      ports:
        - name: rw_port_1
          type: read_write
          bandwidth_min: 64
          bandwidth_max: 64
          allocation:
            - {operand: I1, direction: fh}
            - {operand: I1, direction: tl}
            - {operand: I2, direction: fh}
            - {operand: I2, direction: tl}
            - {operand: O, direction: fh}
            - {operand: O, direction: tl}
            - {operand: O, direction: fl}
            - {operand: O, direction: th}
      served_dimensions: [D1, D2]
    - <<: *memory
      name: dram
      size: 1000000000
      r_cost: 100.0
      w_cost: 200.0
  operational_array:
    dimensions: [{name: D1, size: 2}, {name: D2, size: 2}]
    unit_energy: 0.5
multi_core_accelerator: {name: example, cores: [*accelerator]}
spatial_unrolling: &unrolling
  dimensions:
    - {array_dimension: D1, loops: [{dimension: K, factor: 2}]}
    - {array_dimension: D2, loops: [{dimension: C, factor: 2}]}
layer_mapping: &mapping
  name: default
  spatial_mapping: *unrolling
  memory_operand_links:
    - {layer_operand: O, memory_operand: O}
    - {layer_operand: W, memory_operand: I2}
    - {layer_operand: I, memory_operand: I1}
  core_allocation: [0]
mapping_file: {entries: [*mapping]}
layer: &layer
  id: 0
  name: product
  type: Gemm
  equation: O[d][k] = I[d][c] * W[c][k]
  loops: [{name: D, size: 4}, {name: K, size: 6}, {name: C, size: 8}]
  operands:
    - {name: O, dimensions: [D, K], precision: 16, constant: false}
    - {name: I, dimensions: [D, C], precision: 8, constant: true}
    - {name: W, dimensions: [C, K], precision: 8, constant: true}
  source_order: [1, 2]
  final_output_precision: 8
  mapping: *mapping
workload: {name: example, layers: [*layer], node_order: [0]}
spatial_mapping: &spatial
  operands:
    - &unrolled
      operand: O
      levels: [[{dimension: K, factor: 2}, {dimension: C, factor: 2}], [], []]
    - {<<: *unrolled, operand: I}
    - {<<: *unrolled, operand: W}
temporal_mapping: &temporal
  loops:
    - {dimension: K, size: 3}
    - {dimension: D, size: 2}
    - {dimension: D, size: 2}
    - {dimension: C, size: 2}
    - {dimension: C, size: 2}
  operands:
    - {operand: O, allocated: [5, 5], stationary: [5, 5]}
    - {operand: I, allocated: [5, 5], stationary: [5, 5]}
    - {operand: W, allocated: [5, 5], stationary: [5, 5]}
evaluation:
  accelerator: *accelerator
  layer: *layer
  spatial_mapping: *spatial
  spatial_mapping_int: *spatial
  temporal_mapping: *temporal
  mac_energy: 96.0
  energy_total: 1096.0
  latency_total2: 126.0
  ideal_cycle: 48.0
  ideal_temporal_cycle: 48.0
  data_onloading_cycle: 20.0
  data_offloading_cycle: 6.0
  operands:
    - &cost
      operand: O
      levels:
        - {memory: buffer, utilization: 0.5, energy: 200.0}
        - {memory: dram, utilization: 0.25, energy: 1000.0}
    - {<<: *cost, operand: I}
    - {<<: *cost, operand: W}
)";

const core::yaml::Node& document() {
  static const core::yaml::Node node = [] {
    core::Diagnostics diagnostics;
    return core::yaml::load_text(example, "the example of check-plugin", diagnostics);
  }();
  return node;
}

std::vector<core::Edit> parts_of(const core::yaml::Node& map) {
  std::vector<core::Edit> parts;
  for (const auto& [key, value] : map.entries) parts.push_back({core::intern(key), value_of(value)});
  return parts;
}

void set(std::vector<core::Edit>& parts, const char* key, double figure) {
  parts.push_back({core::intern(key), core::Value::number(figure)});
}

}  // namespace

namespace {

template <class T>
std::shared_ptr<const T> sample(std::string_view type) {
  return sample_object(type)->as<T>();
}

/// The nodes of the example on its cores: every layer is one.
core::ComputationNodeGraph sample_graph() {
  std::vector<std::string> warnings;
  return core::split_into_nodes(*sample<core::Workload>("workload"),
                                *sample<core::MultiCoreAccelerator>("multi_core_accelerator"), {},
                                warnings);
}

core::CoreCosts sample_costs() {
  core::CoreCost cost;
  cost.evaluation = sample<core::Evaluation>("evaluation");
  cost.runtime = cost.evaluation->latency_total2;
  cost.onchip_energy = cost.evaluation->energy_total;
  core::CoreCosts costs;
  costs.layers.resize(sample_graph().layers.size(), {{cost}, {}});
  return costs;
}

template <class T>
core::Value shared(T object) {
  return core::Value::object(std::make_shared<const T>(std::move(object)));
}

}  // namespace

std::optional<core::Value> sample_object(std::string_view type) {
  if (type == "computation_node_graph") return shared(sample_graph());
  if (type == "core_costs") return shared(sample_costs());
  const core::yaml::Node* parts = document().find(type);
  if (parts == nullptr) return {};
  return core::make_object(type, parts_of(*parts));
}

core::Value sample_evaluation(int n) {
  static const core::Value base = *sample_object("evaluation");
  constexpr double steps[] = {5, 2, 7, 1, 4};
  const double figure = 1000 + steps[n % 5] + 10 * n;
  std::vector<core::Edit> parts;
  set(parts, "mem_energy", figure);
  set(parts, "energy_total", figure + 96);
  set(parts, "latency_total0", 100 + 2 * steps[(n + 2) % 5] + n);
  set(parts, "latency_total1", 120 + 2 * steps[(n + 2) % 5] + n);
  set(parts, "latency_total2", 126 + 2 * steps[(n + 2) % 5] + n);
  return core::with(base, parts);
}

core::Value renamed_layer(const core::Value& layer) {
  const std::vector<core::Edit> edits = {{core::intern("name"), core::Value::text("another name")},
                                         {core::intern("id"), core::Value::integer(17)}};
  return core::with(layer, edits);
}

}  // namespace zz::host
