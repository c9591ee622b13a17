#pragma once
#include <limits>
#include <memory>

#include "core/multicore/schedule/schedule.hpp"
#include "tests/unit/value/sample.hpp"

/// Two layers of one node each on two cores and an off-chip memory, every list with something in it. The
/// figures are made up.
namespace zz::test {

inline std::shared_ptr<const core::MultiCoreAccelerator> small_multi_core() {
  auto made = std::make_shared<core::MultiCoreAccelerator>();
  made->name = "two cores";
  for (const std::int64_t units : {4, 12, 0}) {
    auto core = std::make_shared<core::Accelerator>();
    core->name = units > 0 ? "core" : "offchip";
    core->memories = {units > 0 ? memory("sram", 4096) : memory("dram", 1 << 20)};
    core->array.dimensions = {{"D1", units}};
    made->cores.push_back(core);
  }
  made->offchip_core = 2;
  made->links = {{0, 1, std::numeric_limits<double>::infinity(), 0, false},
                 {1, 0, 64, 0.5, false},
                 {-1, -1, 64, 0.5, true}};
  made->connections = {{0, 1, 0}, {1, 0, 1}, {0, 2, 2}, {2, 0, 2}, {1, 2, 2}, {2, 1, 2}};
  made->derive();
  return made;
}

inline std::shared_ptr<const core::ComputationNodeGraph> small_graph() {
  auto made = std::make_shared<core::ComputationNodeGraph>();
  made->name = "two layers";
  for (const int i : {0, 1}) {
    auto layer = std::make_shared<core::Layer>();
    layer->id = 5 * i;
    layer->name = i == 0 ? "first" : "second";
    layer->loops = {{"K", 16}, {"C", 16}};
    layer->operands = {
        {"O", {"K"}, 16, false, {}},
        {"W", {"K", "C"}, 8, true, {}},
        {"I", {"C"}, 8, i == 0, i == 0 ? std::vector<std::int64_t>() : std::vector<std::int64_t>{0}}};
    layer->mapping.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
    core::CutLayer& cut_layer = made->layers.emplace_back();
    cut_layer.layer = cut_layer.piece = layer;
    cut_layer.constants = {1};
    cut_layer.first_node = i;
    cut_layer.node_count = cut_layer.group_count = 1;
    made->nodes.push_back({i, 0, 0, 0, true, 128, {3 * i, 3 * i + 1, i == 0 ? 2 : -1}});
  }
  made->tensors = {
      {0, 0, 0, 128, 1}, {0, 1, 0, 640, 1}, {0, 2, 0, 256, 1}, {1, 0, 1, 128, 0}, {1, 1, 1, 2048, 1}};
  made->dependencies = {{0, 1, 2, 128}};
  made->node_order = {0, 1};
  made->index();
  return made;
}

/// The first layer on core 0, the second on either, at 2 pJ of arithmetic a node.
inline std::shared_ptr<const core::CoreCosts> small_costs() {
  auto made = std::make_shared<core::CoreCosts>();
  for (const int layer : {0, 1}) {
    std::vector<core::CoreCost>& on = made->layers.emplace_back().on;
    for (int core = 0; core <= layer; ++core) {
      auto evaluation = std::make_shared<core::Evaluation>();
      evaluation->mac_energy = 2;
      evaluation->ideal_temporal_cycle = layer == 0 ? 15 : 18;
      core::CoreCost& cost = on.emplace_back();
      cost.core = core;
      cost.runtime = layer == 0 ? 16 : 20;
      cost.onchip_energy = 3;
      cost.evaluation = evaluation;
    }
  }
  return made;
}

inline core::Schedule small_schedule() {
  core::Schedule made;
  made.accelerator = small_multi_core();
  made.graph = small_graph();
  made.costs = small_costs();
  made.latency = 54;
  made.energy = 10;
  made.energy_terms = {1, 2, 3, 0, 0, 0, 0, 0, 4};
  made.nodes = {{0, 0, 14, 30}, {1, 1, 30, 50}};
  using core::EnergyTerm;
  made.transfers = {{1, 2, 0, 0, "I2", 0, 10, 5, 1, {2}, {1}, 0, EnergyTerm::node_offchip_memory},
                    {2, 2, 0, 0, "I1", 10, 14, 2, 1, {2}, {1}, 0, EnergyTerm::node_offchip_memory},
                    {0, 0, 1, 1, "I1", 30, 30, 0, 1, {0}, {1}, 1, EnergyTerm::core_to_core_memory},
                    {3, 1, 2, 2, "O", 40, 44, 2, 1, {2}, {1}, 2, EnergyTerm::final_output_memory}};
  made.blocks = {{1, {1}, 1, 30, 50, 16, 0, 1}};
  made.removals = {{core::RemovalCause::final_output, 3, 1, 1, "O", 50, true, 54, 2}};
  made.memory = {{0, {{0, 0}, {10, 896}, {30, 0}}, 896, 0, 10}, {1, {{0, 0}}, 0, 0, 0}};
  made.genes = {{5, 0}};
  made.allocation = {1};
  made.latency_bound = 36;
  made.dispatch = "rank";
  return made;
}

}  // namespace zz::test
