// Work that every latency must leave time for.
#include "core/cost/latency.hpp"

#include <doctest/doctest.h>
#include <memory>

#include "core/cost/cost_model.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// Two outputs of 16 products, each of which leaves its register eight times. One port of the memory takes
/// them and gives them back, and gives 16 weights to a buffer; all have as many bits as the port.
Evaluation revisited(const Rules& rules) {
  const Layer layer = gemm(2, 1, 16);
  Memory dram = memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1"}, 8);
  using enum Direction;
  dram.ports = {{"inputs", PortType::read, 8, 8, {{"I1", read_to_low}}},
                {"others",
                 PortType::read_write,
                 8,
                 8,
                 {{"I2", read_to_low}, {"O", read_to_low}, {"O", write_from_low}}}};
  const auto accelerator = std::make_shared<const Accelerator>(
      accelerator_with("returning", {1},
                       {memory("weight", 64, {"I2"}, {"D1"}), memory("sum", 64, {"O"}, {"D1"}),
                        memory("weights", 256, {"I2"}, {"D1"}), dram}));
  const auto mapped = std::make_shared<const Layer>(layer);
  const auto unrolling =
      std::make_shared<const SpatialMapping>(convert_spatial_mapping(*mapped, *accelerator, {}).fractional);
  TemporalMapping mapping;
  mapping.loops = {{"C", 2}, {"M", 2}, {"C", 8}};
  mapping.operands = {{"O", {1, 3}, {1, 3}}, {"I", {3}, {3}}, {"W", {2, 3, 3}, {2, 3, 3}}};
  return CostModel(accelerator, mapped, unrolling, unrolling, {.rules = rules})
      .evaluate(std::make_shared<const TemporalMapping>(mapping));
}

}  // namespace

// 16 sums leave, 14 return, as the first of each output need not, and 16 weights pass once: 46 cycles.
TEST_CASE("latency: a port takes its time for sums that return") {
  const Evaluation evaluation = revisited({});
  CHECK(evaluation.ideal_temporal_cycle == 32);
  CHECK(evaluation.latency_total0 == 32);
  CHECK(evaluation.latency_total2 == 16 + 14 + 16);
  CHECK(revisited({.faster_than_ports = true}).latency_total2 < 46);
}
