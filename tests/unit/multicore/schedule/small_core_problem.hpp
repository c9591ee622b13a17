#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"

/// A network of two products on two equal cores and an off-chip memory, for tests of costs.
namespace zz::test {

inline core::Memory plain_memory(const std::string& name, std::int64_t size,
                                 std::vector<std::string> operands, std::vector<std::string> served) {
  core::Memory memory;
  memory.name = name;
  memory.size = size;
  memory.read_cost = 1;
  memory.write_cost = 2;
  memory.operands = std::move(operands);
  memory.served_dimensions = std::move(served);
  core::Port port{"rw_port_1", core::PortType::read_write, 8, 64, {}};
  for (const std::string& operand : memory.operands) {
    port.allocation.push_back({operand, core::Direction::write_from_high});
    port.allocation.push_back({operand, core::Direction::read_to_low});
    if (operand != "O") continue;
    port.allocation.push_back({operand, core::Direction::write_from_low});
    port.allocation.push_back({operand, core::Direction::read_to_high});
  }
  memory.ports = {std::move(port)};
  return memory;
}

/// Registers of 8 bits for W (I2) and one memory for everything.
inline core::Accelerator small_core(std::int64_t memory_bits) {
  core::Accelerator core;
  core.name = "small";
  core.memories = {plain_memory("register", 8, {"I2"}, {}),
                   plain_memory("sram", memory_bits, {"I1", "I2", "O"}, {"D1", "D2"})};
  core.array.dimensions = {{"D1", 4}, {"D2", 4}};
  core.array.unit_energy = 1;
  core.dataflows.dimensions = {{"D1", {{"K", 4}}}, {"D2", {{"C", 4}}}};
  return core;
}

inline core::MultiCoreAccelerator small_accelerator(std::int64_t memory_bits) {
  core::Accelerator offchip;
  offchip.name = "offchip";
  offchip.memories = {plain_memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1"})};
  offchip.array.dimensions = {{"D1", 0}};
  core::MultiCoreAccelerator accelerator;
  accelerator.name = "two and memory";
  const auto core = std::make_shared<core::Accelerator>(small_core(memory_bits));
  accelerator.cores = {core, std::make_shared<core::Accelerator>(*core),
                       std::make_shared<core::Accelerator>(offchip)};
  accelerator.offchip_core = 2;
  return accelerator;
}

/// O[d][k] = W[k][c] * I[d][c]; O of 16 bits, 8 when finished, W and I of 8.
inline core::Layer product(std::int64_t id, std::int64_t rows) {
  core::Layer layer;
  layer.id = id;
  layer.name = "product" + std::to_string(id);
  layer.type = "matmul";
  layer.equation = "O[d][k] = W[k][c] * I[d][c]";
  layer.loops = {{"D", rows}, {"K", 8}, {"C", 16}};
  layer.operands = {
      {"O", {"D", "K"}, 16, false, {}}, {"W", {"K", "C"}, 8, true, {}}, {"I", {"D", "C"}, 8, false, {}}};
  layer.final_output_precision = 8;
  layer.mapping.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
  layer.mapping.core_allocation = {0, 1};
  return layer;
}

/// Two products of the same shape, cut into `nodes` nodes each. Node n of the second one reads what nodes 0
/// to n of the first one write.
inline core::ComputationNodeGraph small_graph_of_products(int nodes) {
  core::ComputationNodeGraph graph;
  for (int index = 0; index < 2; ++index) {
    core::CutLayer& layer = graph.layers.emplace_back();
    layer.layer = std::make_shared<core::Layer>(product(3 * index, 4 * nodes));
    core::Layer piece = product(3 * index, 4);
    if (index == 0) piece.operands[2].constant = true;
    layer.piece = std::make_shared<core::Layer>(piece);
    layer.outer_loops = {{0, nodes}};
    layer.first_node = index * nodes;
    layer.node_count = nodes;
    for (int sub_id = 0; sub_id < nodes; ++sub_id) {
      core::ComputationNode node;
      node.layer = index;
      node.sub_id = sub_id;
      for (int operand = 0; operand < 3; ++operand) {
        if (operand == 2 && index == 1) continue;
        node.tensors[operand] = static_cast<int>(graph.tensors.size());
        const std::int64_t bits = operand == 0 ? 4 * 8 * 8 : piece.operand_bits(operand, {});
        graph.tensors.push_back({index, operand, layer.first_node + sub_id, bits, 1});
      }
      graph.nodes.push_back(node);
    }
  }
  for (int from = 0; from < nodes; ++from)
    for (int to = from; to < nodes; ++to) graph.dependencies.push_back({from, nodes + to, 2, 4 * 8 * 8});
  for (int node = 0; node < 2 * nodes; ++node) graph.node_order.push_back(node);
  graph.index();
  return graph;
}

}  // namespace zz::test
