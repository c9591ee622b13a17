#pragma once
#include <memory>

#include "core/cost/evaluation.hpp"
#include "tests/unit/worlds/accelerators.hpp"

/// A small accelerator, layer and evaluation to look at and to change. The figures are made up.
namespace zz::test {

inline std::shared_ptr<const core::Accelerator> accelerator() {
  const std::vector<std::string> all = {"I1", "I2", "O"};
  auto accelerator = std::make_shared<core::Accelerator>(
      accelerator_with("small", {4, 8},
                       {one_port_memory("l1", 1024, all, {"D1"}, 64, 64),
                        one_port_memory("dram", 1 << 20, all, {"D1", "D2"}, 64, 64)}));
  for (core::Memory& memory : accelerator->memories) {
    memory.read_cost = 1.5;
    memory.write_cost = 2.5;
  }
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
