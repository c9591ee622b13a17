#include "core/search/locality/locality_search.hpp"

#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

constexpr std::int64_t buffer = 2, dram = 3;  // memories of the small accelerator
// A tensor of 4 x 4 bytes has 128 bits: input and output of a layer take 256.
constexpr std::int64_t two_tensors = 256;

Accelerator accelerator(std::int64_t buffer_bits) { return small_accelerator(32, buffer_bits, 8); }

std::pair<std::int64_t, std::int64_t> levels(const Locality& found, int layer) {
  return {found.levels.layers[layer].activation, found.levels.layers[layer].output};
}
using Levels = std::pair<std::int64_t, std::int64_t>;

const Workload chain = network({product_layer(0), product_layer(1), product_layer(2)}, {{0, 1}, {1, 2}});

}  // namespace

TEST_CASE("locality: data of a chain stay in the lowest memory that has room for input and output") {
  const Locality found = search_locality(chain, accelerator(two_tensors), {});
  for (int layer = 0; layer < 3; ++layer) CHECK(levels(found, layer) == Levels{buffer, buffer});
  CHECK(found.levels.find(1)->name == "layer1");
  CHECK(found.levels.find(7) == nullptr);
  CHECK(found.warnings.empty());
}

TEST_CASE("locality: a layer with one input is refused with compat only, as ZigZag fails there") {
  Layer relu = product_layer(1);
  relu.operands.pop_back();
  const Workload network_with_relu = network({product_layer(0), relu, product_layer(2)}, {{0, 1}, {1, 2}});
  CHECK(levels(search_locality(network_with_relu, accelerator(two_tensors), {}), 1) ==
        Levels{buffer, buffer});
  CHECK_THROWS_AS(
      search_locality(network_with_relu, accelerator(two_tensors), {.rules = rules_of("zigzag-3.9")}),
      InputError);
}

TEST_CASE("locality: one bit too little, and data go through the topmost memory") {
  const Locality found = search_locality(chain, accelerator(two_tensors - 1), {});
  for (int layer = 0; layer < 3; ++layer) CHECK(levels(found, layer) == Levels{dram, dram});
}

TEST_CASE("locality: what is too large goes to the topmost memory and is read from there") {
  Layer widens = product_layer(1);
  widens.loops[1].size = 16;  // writes 4 x 16
  Layer narrows = product_layer(2);
  narrows.loops[2].size = 16;  // reads 4 x 16
  const Workload waist =
      network({product_layer(0), widens, narrows, product_layer(3)}, {{0, 1}, {1, 2}, {2, 3}});
  const Locality found = search_locality(waist, accelerator(two_tensors), {});
  CHECK(levels(found, 0) == Levels{buffer, buffer});
  CHECK(levels(found, 1) == Levels{buffer, dram});
  CHECK(levels(found, 2) == Levels{dram, dram});
  CHECK(levels(found, 3) == Levels{dram, buffer});
}

TEST_CASE("locality: outputs that are read twice or joined go to the topmost memory") {
  const Workload residual =
      network({product_layer(0), product_layer(1), sum_layer(2)}, {{0, 1}, {0, 2}, {1, 2}});
  const Locality found = search_locality(residual, accelerator(1 << 20), {});
  CHECK(levels(found, 0) == Levels{dram, dram});
  CHECK(levels(found, 1) == Levels{dram, dram});
  CHECK(levels(found, 2) == Levels{dram, buffer});
}

TEST_CASE("locality: the network's own data come from the topmost memory on demand") {
  const Locality found = search_locality(chain, accelerator(two_tensors), {.network_data_at_top = true});
  CHECK(levels(found, 0) == Levels{dram, buffer});
  CHECK(levels(found, 1) == Levels{buffer, buffer});
  CHECK(levels(found, 2) == Levels{buffer, dram});
  // ZigZag's own step never raises a level.
  const Locality compat = search_locality(chain, accelerator(two_tensors),
                                          {.network_data_at_top = true, .rules = rules_of("zigzag-3.8.5")});
  CHECK(levels(compat, 0) == Levels{buffer, buffer});
  CHECK(levels(compat, 2) == Levels{buffer, buffer});
}

TEST_CASE(
    "locality: layers without predecessor or successor, where ZigZag fails, read and write the network's "
    "data") {
  const Workload apart = network({product_layer(0), product_layer(1), product_layer(2)}, {{0, 2}});
  const Locality found = search_locality(apart, accelerator(two_tensors), {});
  for (int layer = 0; layer < 3; ++layer) CHECK(levels(found, layer) == Levels{buffer, buffer});
  const Locality top = search_locality(apart, accelerator(two_tensors), {.network_data_at_top = true});
  REQUIRE(top.levels.layers[1].name == "layer1");
  CHECK(levels(top, 1) == Levels{dram, dram});
}

TEST_CASE("locality: where nothing fits, data go through the topmost memory, with a warning") {
  Accelerator tight = accelerator(two_tensors);
  tight.memories[dram].size = 16;
  const Locality found = search_locality(network({product_layer(0, 64)}, {}), tight, {});
  CHECK(levels(found, 0) == Levels{dram, dram});
  REQUIRE(found.warnings.size() == 1);
  CHECK(found.warnings[0].find("'layer0'") != std::string::npos);
}

TEST_CASE("locality: weights of the whole network stay in the lowest memory that serves all units") {
  Accelerator shared = accelerator(1 << 20);
  shared.memories[buffer] = memory("buffer", 5 * 128, {"I1", "I2", "O"}, {"D1", "D2"}, 8);
  CHECK(search_locality(chain, shared, {}).weights == buffer);  // three weights, one input, one output
  shared.memories[buffer].size -= 1;
  CHECK(search_locality(chain, shared, {}).weights == dram);
  // A register that holds them all but not for all units does not count.
  Accelerator registers = accelerator(two_tensors);
  registers.memories[0].size = 1 << 20;
  CHECK(search_locality(chain, registers, {}).weights == dram);
}

TEST_CASE("locality: a layer without weights does not lower those of others, except as ZigZag does") {
  const Workload with_sum = network({product_layer(0, 64), sum_layer(1)}, {{0, 1}});
  Accelerator shared = accelerator(0);
  shared.memories[buffer] = memory("buffer", 3 * 128, {"I1", "I2", "O"}, {"D1", "D2"}, 8);
  CHECK(search_locality(with_sum, shared, {}).weights == dram);
  CHECK(search_locality(with_sum, shared, {.rules = rules_of("zigzag-3.8.5")}).weights == buffer);
}

TEST_CASE("locality: data are not read from a memory that does not hold them, except as ZigZag does") {
  const Workload residual =
      network({product_layer(0), product_layer(1), product_layer(2)}, {{0, 1}, {0, 2}});
  Accelerator split = accelerator(two_tensors);
  split.memories[dram] = memory("dram_out", 1 << 30, {"O", "I2"}, {"D1", "D2"}, 8);
  split.memories.push_back(memory("dram_in", 1 << 30, {"I1"}, {"D1", "D2"}, 8));
  CHECK(levels(search_locality(residual, split, {}), 1).first == 4);
  CHECK(levels(search_locality(residual, split, {.rules = rules_of("zigzag-3.8.5")}), 1).first == 3);
}

TEST_CASE("locality: a network without layers has no levels") {
  CHECK(search_locality(network({}, {}), accelerator(1), {}).levels.layers.empty());
}
