#pragma once
#include <memory>

#include "core/cost/evaluation.hpp"

/// A small accelerator, layer and evaluation to look at and to change.
namespace zz::test {

inline core::Memory memory(const char* name, std::int64_t size) {
  core::Memory memory;
  memory.name = name;
  memory.size = size;
  memory.read_cost = 1.5;
  memory.write_cost = 2.5;
  memory.operands = {"I1", "I2", "O"};
  memory.served_dimensions = {"D1"};
  core::Port port;
  port.name = "rw_port_1";
  port.bandwidth_min = port.bandwidth_max = 64;
  for (const char* operand : {"I1", "I2"})
    for (core::Direction direction : {core::Direction::write_from_high, core::Direction::read_to_low})
      port.allocation.push_back({operand, direction});
  for (core::Direction direction : {core::Direction::write_from_high, core::Direction::read_to_low,
                                    core::Direction::write_from_low, core::Direction::read_to_high})
    port.allocation.push_back({"O", direction});
  memory.ports = {port};
  return memory;
}

inline std::shared_ptr<const core::Accelerator> accelerator() {
  auto accelerator = std::make_shared<core::Accelerator>();
  accelerator->name = "small";
  accelerator->memories = {memory("l1", 1024), memory("dram", 1 << 20)};
  accelerator->memories[1].served_dimensions = {"D1", "D2"};
  accelerator->array.dimensions = {{"D1", 4}, {"D2", 8}};
  accelerator->array.unit_energy = 0.5;
  return accelerator;
}

inline std::shared_ptr<const core::Layer> layer() {
  auto layer = std::make_shared<core::Layer>();
  layer->id = 3;
  layer->name = "/layer1/conv.0";
  layer->type = "Gemm";
  layer->equation = "O[b][k] = W[k][c] * I[b][c]";
  layer->loops = {{"B", 2}, {"K", 3}, {"C", 5}};
  layer->operands = {
      {"O", {"B", "K"}, 16, false, {}}, {"W", {"K", "C"}, 8, true, {}}, {"I", {"B", "C"}, 8, false, {1}}};
  layer->final_output_precision = 8;
  layer->mapping.memory_operands = {{"O", "O"}, {"W", "I2"}, {"I", "I1"}};
  return layer;
}

inline std::shared_ptr<const core::Evaluation> evaluation() {
  auto evaluation = std::make_shared<core::Evaluation>();
  evaluation->accelerator = accelerator();
  evaluation->layer = layer();
  evaluation->mac_energy = 1;
  evaluation->mem_energy = 2;
  evaluation->energy_total = 3;
  evaluation->ideal_cycle = 8;
  evaluation->ideal_temporal_cycle = 10;
  evaluation->latency_total0 = 12;
  evaluation->latency_total1 = 14;
  evaluation->latency_total2 = 16;
  core::LevelCost level;
  level.memory = "l1";
  level.accesses = {1, 2, 3, 4};
  level.energy = 2;
  evaluation->operands = {{"O", {level, level}}, {"W", {level}}};
  evaluation->metrics = {{"carbon", 0.25}};
  return evaluation;
}

}  // namespace zz::test
