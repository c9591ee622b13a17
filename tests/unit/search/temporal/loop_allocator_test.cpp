// Allocation from tables against plain arithmetic.
#include "core/search/temporal/loop_allocator.hpp"

#include <doctest/doctest.h>
#include <utility>

#include "core/search/loma/loma.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/problems.hpp"

using namespace zz::core;
using namespace zz::test;

// Three columns on two units take two rounds, with two weights and with one. Below the loop over rounds a
// memory of all units holds those of one round: 8 * 2 bits in the first.
TEST_CASE("allocation: a memory has room for the fullest round") {
  Layer layer = gemm(1, 3, 1);
  layer.mapping.spatial_mapping = {{{"D1", {{"N", 2}}}}};
  const auto held_loops = [&](std::int64_t bits, const Rules& rules) {
    const Accelerator accelerator = accelerator_with(
        "two units", {2},
        {memory("weights", bits, {"I2"}, {"D1"}), memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1"})});
    const SpatialMapping unrolled = convert_spatial_mapping(layer, accelerator, {}).fractional;
    LoopAllocator allocator(layer, accelerator, unrolled, MappingType::uneven, rules);
    CompactMapping mapping;
    mapping.loops = 1;
    mapping.dimension[0] = 1;
    mapping.size[0] = 2;
    return allocator.allocate(mapping) ? static_cast<int>(mapping.allocated[2][0]) : -1;
  };
  CHECK(held_loops(24, {}) == 1);  // both rounds: three weights, not four
  CHECK(held_loops(23, {}) == 0);
  CHECK(held_loops(16, {}) == 0);
  CHECK(held_loops(15, {}) == -1);
  CHECK(held_loops(12, {.room_of_average_round = true}) == 0);
}

// Above a register in which a sum is added up, a memory of 24 bits holds three results of 8 bits, or one
// sum of 16.
TEST_CASE("allocation: a sum that is unrolled once adds nothing up, but by the rules of ZigZag") {
  Layer layer = gemm(1, 3, 2);
  layer.operands[0].precision = 16;
  layer.final_output_precision = 8;
  const auto held_loops = [&](const Rules& rules) {
    const Accelerator accelerator =
        accelerator_with("one unit", {1},
                         {memory("register", 16, {"O"}, {}), memory("results", 24, {"O"}, {}),
                          memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1"})});
    const SpatialMapping unrolled = convert_spatial_mapping(layer, accelerator, {}).fractional;
    LoopAllocator allocator(layer, accelerator, unrolled, MappingType::uneven, rules);
    CompactMapping mapping;
    mapping.loops = 2;
    mapping.dimension[0] = 2;
    mapping.size[0] = 2;
    mapping.dimension[1] = 1;
    mapping.size[1] = 3;
    return allocator.allocate(mapping) ? static_cast<int>(mapping.allocated[0][1]) : -1;
  };
  const int without = held_loops({});
  CHECK(without == 2);
  CHECK(held_loops({.adds_up_once = true}) == without);
  layer.mapping.spatial_mapping = {{{"D1", {{layer.loops[2].name, 1}}}}};
  CHECK(held_loops({}) == without);
  CHECK(held_loops({.adds_up_once = true}) == 1);
}

TEST_CASE("allocation by tables: the same cuts and refusals as without, for any order") {
  int refused = 0, compared = 0;
  for (const UnrolledProblem& at : unrolled_problems()) {
    CAPTURE(at.name);
    for (const MappingType type : {MappingType::uneven, MappingType::even}) {
      Loma search(at.layer, at.accelerator, at.fractional, {.factor_limit = 8, .type = type});
      CompactMappings batch;
      while (batch.rows.empty() && !search.finished()) search.next(batch, 1);
      if (batch.rows.empty()) continue;
      REQUIRE(batch.lattice != nullptr);
      LoopAllocator plain(*at.layer, *at.accelerator, *at.fractional, type, {});
      LoopAllocator tabulated = plain;
      tabulated.expect(batch.lattice);
      CompactMapping row = batch.rows.front();
      RandomNumbers random(1, 1);
      for (int i = 0; i < 500; ++i, ++compared) {
        const int a = random.below(row.loops), b = random.below(row.loops);
        std::swap(row.dimension[a], row.dimension[b]);
        std::swap(row.kind[a], row.kind[b]);
        std::swap(row.size[a], row.size[b]);
        CompactMapping by_arithmetic = row, by_tables = row;
        const bool fits = plain.allocate(by_arithmetic);
        REQUIRE(tabulated.allocate(by_tables) == fits);
        if (!fits) {
          ++refused;
          REQUIRE(plain.failure().memory == tabulated.failure().memory);
          REQUIRE(plain.failure().operand == tabulated.failure().operand);
          continue;
        }
        for (std::size_t operand = 0; operand < at.layer->operands.size(); ++operand) {
          for (int level = 0; level < plain.levels(static_cast<int>(operand)); ++level) {
            REQUIRE(by_arithmetic.allocated[operand][level] == by_tables.allocated[operand][level]);
            REQUIRE(by_arithmetic.stationary[operand][level] == by_tables.stationary[operand][level]);
          }
        }
      }
    }
  }
  CHECK(compared > 10000);
  CHECK(refused > 100);
}
