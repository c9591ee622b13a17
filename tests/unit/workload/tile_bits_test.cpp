#include "core/workload/tile_bits.hpp"

#include <doctest/doctest.h>
#include <random>
#include <string>

#include "core/base/diagnostics.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// Weights of 4 bits with a scale of 8 for each 32 along C.
Layer product_in_blocks() {
  Layer layer = gemm(4, 6, 80);
  LayerOperand& weights = layer.operands[static_cast<std::size_t>(layer.operand_index("W"))];
  weights.precision = 4;
  weights.scale = {8, 32, "C"};
  return layer;
}

double bits(const TileBits& tile, double rows, double extent) {
  return tile.of_tile(rows * extent, [&](int) { return extent; });
}

}  // namespace

TEST_CASE("tile bits: a row has a scale for each block that is begun") {
  const TileBits weights(product_in_blocks(), product_in_blocks().operand_index("W"), false);
  CHECK(weights.beside());
  CHECK(bits(weights, 1, 32) == 4 * 32 + 8);
  CHECK(bits(weights, 1, 33) == 4 * 33 + 16);
  CHECK(bits(weights, 3, 80) == 3 * (4 * 80 + 24));
  CHECK(bits(weights, 5, 1) == 5 * (4 + 8));  // a tile shorter than a block brings its scale again
  CHECK(weights.least() == 4.25);
  CHECK(product_in_blocks().operand_bits(product_in_blocks().operand_index("W"), {}) == 6 * (4 * 80 + 24));
}

TEST_CASE("tile bits: nothing beside the data is elements times bits") {
  const Layer layer = gemm(4, 6, 80);
  const TileBits inputs(layer, layer.operand_index("I"), false);
  CHECK_FALSE(inputs.beside());
  CHECK(bits(inputs, 3, 7) == 21 * 8);
  CHECK(inputs.least() == 8);
}

TEST_CASE("tile bits: tiles of a row have no fewer together, and longer ones no fewer than shorter ones") {
  const TileBits weights(product_in_blocks(), product_in_blocks().operand_index("W"), false);
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    const double a = 1 + static_cast<double>(random() % 4000) / 50;
    const double b = 1 + static_cast<double>(random() % 4000) / 50;
    CHECK(bits(weights, 1, a) + bits(weights, 1, b) >= bits(weights, 1, a + b) * (1 - 1e-12));
    CHECK(bits(weights, 1, a + b) >= bits(weights, 1, a));
    CHECK(bits(weights, 1, a) >= weights.least() * a * (1 - 1e-12));
    CHECK(weights.of_element_at_most([&](int) { return a; }) * a >= bits(weights, 1, a) * (1 - 1e-12));
  }
}

TEST_CASE("tile bits: blocks are along what inputs have in common, of outputs along their last dimension") {
  Layer layer = convolution(4, 2, 3, 3, 1);
  const auto axis = [&](int operand) {
    const int loop = scale_axis(layer, operand);
    return loop < 0 ? std::string() : layer.loops[static_cast<std::size_t>(loop)].name;
  };
  CHECK(axis(1) == "C");
  CHECK(axis(2) == "C");
  CHECK(axis(0) == layer.operands[0].dimensions.back());
}

TEST_CASE("tile bits: a piece of a layer keeps its blocks along the loop of the whole layer") {
  Layer whole = gemm(4, 6, 80);
  whole.loops.push_back({"L", 64});
  for (const int input : {1, 2}) whole.operands[static_cast<std::size_t>(input)].dimensions.push_back("L");
  whole.operands[1].scale = {8, 32, ""};
  CHECK(whole.loops[static_cast<std::size_t>(block_loop(whole, 1, whole.operands[1].scale))].name == "C");
  Layer piece = whole;
  name_block_loops(piece);
  CHECK(piece.operands[1].scale == BlockScale{8, 32, "C"});
  CHECK_FALSE(piece.operands[2].scale.any());
  // By itself a layer of that size would have them along the longer loop.
  whole.loops[static_cast<std::size_t>(whole.loop_index("C"))].size = 16;
  CHECK(whole.loops[static_cast<std::size_t>(block_loop(whole, 1, whole.operands[1].scale))].name == "L");
  CHECK(block_loop(whole, 1, {}) == -1);
}

TEST_CASE("tile bits: blocks along no dimension of the operand are refused by name") {
  Layer layer = convolution(4, 2, 3, 3, 1);
  layer.operands[2].scale = {8, 32, "FX"};
  CHECK_THROWS_WITH_AS(TileBits(layer, 2, false), doctest::Contains("blocks of I are along FX"),
                       InputError);
  layer.final_output_scale = {8, 32, ""};
  layer.operands[0].precision = layer.final_output_precision;
  CHECK_THROWS_WITH_AS(TileBits(layer, 0, true), doctest::Contains("give O at least as many"), InputError);
  layer.operands[2].scale = {8, 32, "k"};
  CHECK_THROWS_WITH_AS(TileBits(layer, 2, false), doctest::Contains("C"), InputError);
}
