// Outputs that are summed up in a memory, and the room that they leave for a second buffer.
#include <doctest/doctest.h>
#include <memory>

#include "core/cost/cost_model.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// Two times 16 outputs of 8 products each, one product a cycle. An accumulator of so many bits holds 16
/// sums of 32 bits, and hands results of 8 bits on, one bit a cycle.
Evaluation accumulated(std::int64_t accumulator_bits, const Rules& rules) {
  Layer layer = gemm(8, 4, 8);
  layer.operands[0].precision = 32;
  layer.final_output_precision = 8;
  Memory accumulator = memory("accumulator", accumulator_bits, {"O"}, {"D1"}, 32);
  for (Port& port : accumulator.ports)
    if (port.allocation.front().direction == Direction::read_to_high)
      port.bandwidth_min = port.bandwidth_max = 1;
  const auto accelerator = std::make_shared<const Accelerator>(accelerator_with(
      "adding", {1}, {accumulator, memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1"}, 32)}));
  const auto mapped = std::make_shared<const Layer>(layer);
  const auto unrolling =
      std::make_shared<const SpatialMapping>(convert_spatial_mapping(*mapped, *accelerator, {}).fractional);
  TemporalMapping mapping;
  mapping.loops = {{"N", 4}, {"M", 4}, {"C", 8}, {"M", 2}};
  mapping.operands = {{"O", {3, 4}, {3, 4}}, {"I", {4}, {4}}, {"W", {4}, {4}}};
  return CostModel(accelerator, mapped, unrolling, unrolling, {.rules = rules})
      .evaluate(std::make_shared<const TemporalMapping>(mapping));
}

}  // namespace

// 128 bits leave in 128 cycles, while 16 other sums are added up: with a second buffer nothing waits.
// Without one only the last 16 cycles of the 128, in which each result is final, move the first 16 bits.
TEST_CASE("second buffers: an accumulator full of sums has no room for one") {
  const Evaluation full = accumulated(16 * 32, {});
  CHECK(full.operands[0].levels[0].utilization == 1);
  CHECK(full.latency_total0 == 256 + 128 - 16);
  const Evaluation half_full = accumulated(2 * 16 * 32, {});
  CHECK(half_full.operands[0].levels[0].utilization == 0.5);
  CHECK(half_full.latency_total0 == 256);
}

TEST_CASE("second buffers: as ZigZag counts, the results of those sums leave room for one") {
  const Evaluation full = accumulated(16 * 32, {.sums_held_as_results = true});
  CHECK(full.operands[0].levels[0].utilization == 0.25);
  CHECK(full.latency_total0 == 256);
}
