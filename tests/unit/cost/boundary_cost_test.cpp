// Costs of single boundaries, by hand.
#include "core/cost/boundary_cost.hpp"

#include <doctest/doctest.h>
#include <memory>

#include "core/cost/cost_model.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

constexpr int up_from_register = static_cast<int>(Direction::read_to_high);
constexpr int up_to_memory = static_cast<int>(Direction::write_from_low);

/// An output of 12 products on four units with a register each: C 4 unrolled, C 3 in time. Sums have 32
/// bits, results 8, ports one bit.
Evaluation added_above_registers(const Rules& rules) {
  Layer layer = gemm(1, 1, 12);
  layer.operands[0].precision = 32;
  layer.mapping.spatial_mapping = {{{"D1", {{"C", 4}}}}};
  const auto accelerator = std::make_shared<const Accelerator>(accelerator_with(
      "adding", {4},
      {memory("register", 64, {"O"}, {}, 1), memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1"}, 1)}));
  const auto mapped = std::make_shared<const Layer>(layer);
  const auto unrolling =
      std::make_shared<const SpatialMapping>(convert_spatial_mapping(*mapped, *accelerator, {}).fractional);
  TemporalMapping mapping;
  mapping.loops = {{"C", 3}};
  mapping.operands = {{"O", {1, 1}, {1, 1}}, {"I", {1}, {1}}, {"W", {1}, {1}}};
  return CostModel(accelerator, mapped, unrolling, unrolling, {.rules = rules})
      .evaluate(std::make_shared<const TemporalMapping>(mapping));
}

}  // namespace

TEST_CASE("boundary cost: what an adder above a memory gets are partial sums, what it gives is a result") {
  const auto words = [](const Evaluation& evaluation, int level, int direction) {
    return evaluation.operands[0].levels[static_cast<std::size_t>(level)].accesses[direction];
  };
  const Evaluation evaluation = added_above_registers({});
  CHECK(words(evaluation, 0, up_from_register) == 4 * 32);
  CHECK(words(evaluation, 1, up_to_memory) == 8);
  const Evaluation as_results = added_above_registers({.sums_sent_as_results = true});
  CHECK(words(as_results, 0, up_from_register) == 4 * 8);
  CHECK(words(as_results, 1, up_to_memory) == 8);
}

namespace {

/// Three columns on two units, each with a register for inputs: two rounds, with two columns and with one.
/// Two inputs of 8 bits over a bus of 8. With `rounds_inside` the rounds come before the inputs change.
std::int64_t loads_of_inputs(bool rounds_inside, const Rules& rules) {
  Layer layer = gemm(1, 3, 2);
  layer.mapping.spatial_mapping = {{{"D1", {{"N", 2}}}}};
  const auto accelerator = std::make_shared<const Accelerator>(accelerator_with(
      "columns", {2},
      {memory("register", 8, {"I1"}, {}), memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1"})}));
  const auto mapped = std::make_shared<const Layer>(layer);
  const auto unrolling =
      std::make_shared<const SpatialMapping>(convert_spatial_mapping(*mapped, *accelerator, {}).fractional);
  TemporalMapping mapping;
  mapping.loops = {{"N", 2}, {"C", 2}};
  if (!rounds_inside) std::swap(mapping.loops[0], mapping.loops[1]);
  const int cut = rounds_inside ? 1 : 0;
  mapping.operands = {{"O", {2}, {2}}, {"I", {cut, 2}, {cut, 2}}, {"W", {2}, {2}}};
  return CostModel(accelerator, mapped, unrolling, unrolling, {.rules = rules})
      .evaluate(std::make_shared<const TemporalMapping>(mapping))
      .operands[1]
      .levels[0]
      .accesses[static_cast<int>(Direction::write_from_high)];
}

}  // namespace

TEST_CASE("boundary cost: a unit that works in some of the rounds of a portion takes all of it") {
  const Rules of_average{.fills_of_average_round = true, .words_of_average_round = true};
  CHECK(loads_of_inputs(true, {}) == 2 * 2);
  CHECK(loads_of_inputs(true, of_average) == 3);  // 1.5 units
  // Both inputs in the first round on two units, in the second on one.
  CHECK(loads_of_inputs(false, {}) == 2 * 2 + 2);
  CHECK(loads_of_inputs(false, of_average) == 6);
}
