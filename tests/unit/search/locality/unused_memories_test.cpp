#include "core/search/locality/unused_memories.hpp"

#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

using Names = std::vector<std::string>;

const Accelerator whole = small_accelerator(32, 1024, 8);  // weight_register, output_register, buffer, dram

LayerDataLevels levels(std::int64_t activation, std::int64_t output) { return {0, "", activation, output}; }

}  // namespace

TEST_CASE("unused memories: operands above their level go, with their ports, and so do empty memories") {
  const Accelerator reduced = without_unused_memories(whole, product_layer(0), levels(2, 2), 3, {});
  REQUIRE(reduced.memories.size() == 4);
  CHECK(reduced.memories[3].operands == Names{"I2"});
  for (const Port& port : reduced.memories[3].ports)
    for (const PortAllocation& allocation : port.allocation) CHECK(allocation.operand == "I2");
  CHECK(reduced.memories[3].ports.size() == 4);
  CHECK(reduced.name == "small-removing-nouse-mem");
  CHECK(reduced.array == whole.array);

  Accelerator weights_on_chip = whole;
  weights_on_chip.memories[2] = memory("buffer", 1024, {"I1", "I2", "O"}, {"D1", "D2"}, 8);
  const Accelerator small = without_unused_memories(weights_on_chip, product_layer(0), levels(2, 2), 2, {});
  CHECK(small.memories.size() == 3);
}

TEST_CASE("unused memories: operands are listed as activation, weight, output") {
  Accelerator other_order = whole;
  other_order.memories[3].operands = {"O", "I2", "I1"};
  const Accelerator reduced = without_unused_memories(other_order, product_layer(0), levels(3, 3), 3, {});
  CHECK(reduced.memories[3].operands == Names{"I1", "I2", "O"});
  CHECK(reduced.memories[2].operands == Names{"I1", "O"});
}

TEST_CASE("unused memories: array dimensions are listed as a copied set is walked") {
  Accelerator cube = whole;
  cube.array.dimensions = {{"D1", 2}, {"D2", 2}, {"D3", 2}, {"D4", 2}};
  cube.memories[3].served_dimensions = {"D1", "D2", "D3", "D4"};
  const Accelerator reduced = without_unused_memories(cube, product_layer(0), levels(3, 3), 3, {});
  CHECK(reduced.memories[3].served_dimensions == Names{"D1", "D2", "D4", "D3"});
}

TEST_CASE("unused memories: two inputs that are not constant share a level, as far as it holds them") {
  // The buffer does not hold I2, so the second input of a sum comes from the topmost memory.
  const Accelerator reduced = without_unused_memories(whole, sum_layer(0), levels(2, 2), 0, {});
  CHECK(reduced.memories.back().operands == Names{"I2"});
  CHECK(reduced.memories.size() == 4);
  // ZigZag leaves it in the registers, where it cannot come from.
  const Accelerator compat =
      without_unused_memories(whole, sum_layer(0), levels(2, 2), 0, rules_of("zigzag-3.8.5"));
  CHECK(compat.memories.size() == 3);
}

TEST_CASE("unused memories: levels that make no sense are errors") {
  CHECK_THROWS_AS(without_unused_memories(whole, product_layer(0), levels(4, 2), 3, {}), InputError);
  CHECK_THROWS_AS(without_unused_memories(whole, product_layer(0), levels(2, -1), 3, {}), InputError);
  // No memory up to 1 holds activations.
  CHECK_THROWS_AS(without_unused_memories(whole, product_layer(0), levels(1, 2), 3, {}), InputError);
}
