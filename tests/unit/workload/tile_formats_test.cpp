// Bits of tiles in a format against masks that are drawn (fixed seeds) and written out element by element.
#include <cmath>
#include <doctest/doctest.h>
#include <random>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/workload/tile_bits.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

constexpr StoredFormat formats[] = {StoredFormat::bitmask, StoredFormat::coordinates,
                                    StoredFormat::run_length};

Layer product(std::int64_t common, const OperandSparsity& zeros) {
  Layer layer = gemm(4, 4, common);
  layer.sparsity = {zeros};
  return layer;
}

int axis_of(const Layer& layer) { return scale_axis(layer, layer.operand_index("W")); }
double bits_of_numbers(double largest) { return std::ceil(std::log2(largest + 1)); }

/// A row as a writer makes it.
double written(const std::vector<bool>& row, StoredFormat format, double bits, double longest) {
  double nonzeros = 0, entries = 1;  // the last one ends the row
  int run = 0;
  for (const bool nonzero : row) {
    nonzeros += nonzero ? 1 : 0;
    if (nonzero || run == 31) {
      ++entries;
      run = 0;
    } else {
      ++run;
    }
  }
  if (format == StoredFormat::bitmask) return nonzeros * bits + static_cast<double>(row.size());
  if (format == StoredFormat::coordinates)
    return nonzeros * (bits + bits_of_numbers(longest - 1)) + bits_of_numbers(longest);
  return entries * (bits + 5);
}

/// Blocks of a pattern are cut where the tile begins or ends inside of one.
std::vector<bool> drawn_row(std::int64_t extent, const OperandSparsity& zeros, std::mt19937& random) {
  std::vector<bool> row;
  if (zeros.pattern.empty()) {
    std::bernoulli_distribution nonzero(zeros.density);
    for (std::int64_t i = 0; i < extent; ++i) row.push_back(nonzero(random));
    return row;
  }
  const ZeroPattern pattern = pattern_of(zeros.pattern);
  while (static_cast<std::int64_t>(row.size()) < extent) {
    std::vector<bool> block(static_cast<std::size_t>(pattern.of), false);
    std::fill_n(block.begin(), pattern.kept, true);
    std::shuffle(block.begin(), block.end(), random);
    row.insert(row.end(), block.begin(), block.end());
  }
  row.resize(static_cast<std::size_t>(extent));
  return row;
}

}  // namespace

TEST_CASE("formats: bits and room of tiles are those of drawn masks") {
  std::mt19937 random(3);
  const OperandSparsity laws[] = {{"W", 0.02}, {"W", 0.3}, {"W", 0.8}, {"W", 1, "2:4", "C"}};
  for (const OperandSparsity& given : laws) {
    for (const std::int64_t extent : {1, 6, 40}) {
      Layer layer = product(120, given);
      const int axis = axis_of(layer);
      layer.sparsity[0].along = layer.loops[static_cast<std::size_t>(axis)].name;
      const double longest = static_cast<double>(layer.loops[static_cast<std::size_t>(axis)].size);
      const auto bits =
          static_cast<double>(layer.operands[static_cast<std::size_t>(layer.operand_index("W"))].precision);
      for (const StoredFormat format : formats) {
        constexpr int rows = 3, draws = 1000;
        const TileBits stored(layer, layer.operand_index("W"), false, format, 0.99);
        const auto walked = [&](int loop) { return loop == axis ? static_cast<double>(extent) : 1.0; };
        const double elements = static_cast<double>(rows * extent);
        const double expected = stored.of_tile(elements, walked), room = stored.of_room(elements, walked);
        double sum = 0, squares = 0;
        int fits = 0;
        for (int draw = 0; draw < draws; ++draw) {
          double tile = 0;
          for (int row = 0; row < rows; ++row)
            tile += written(drawn_row(extent, layer.sparsity[0], random), format, bits, longest);
          sum += tile;
          squares += tile * tile;
          fits += tile <= room * (1 + 1e-12) ? 1 : 0;
        }
        const double mean = sum / draws;
        const double error = std::sqrt(std::max(0.0, squares / draws - mean * mean) / draws);
        CAPTURE(to_text(given));
        CAPTURE(extent);
        CAPTURE(static_cast<int>(format));
        CHECK(std::abs(mean - expected) <= 4 * error + 1e-6 * mean);
        CHECK(fits >= 0.99 * draws - 4 * std::sqrt(0.01 * draws));
        CHECK(room >= expected);
        CHECK(expected / elements >= stored.least() * (1 - 1e-12));
        CHECK(stored.of_element_at_most(walked) >= stored.of_element(walked) * (1 - 1e-12));
      }
    }
  }
}

TEST_CASE(
    "formats: a row that is cut never needs fewer bits, and a longer one never fewer than a shorter one") {
  for (const double density : {0.0, 0.01, 0.2, 0.9}) {
    const Layer layer = product(200, {"W", density});
    const int axis = axis_of(layer);
    for (const StoredFormat format : formats) {
      const TileBits stored(layer, layer.operand_index("W"), false, format, 0.999);
      const auto row = [&](double extent) {
        return stored.of_tile(extent, [&](int loop) { return loop == axis ? extent : 1.0; });
      };
      for (double first = 1; first < 100; first += 3.5) {
        CHECK(row(first + 1) >= row(first) - 1e-9);
        for (double second = 1; second < 100; second += 7.25)
          CHECK(row(first) + row(second) >= row(first + second) - 1e-9);
      }
    }
  }
}

TEST_CASE("formats: bitmask and coordinates cross where a nonzero's place costs what a mask does") {
  // A row of 64: places of 6 bits and a count of 7. Below (1 - 7 / 64) / 6 = 0.148 coordinates take less.
  const auto bits = [](double density, StoredFormat format) {
    const Layer layer = product(64, {"W", density});
    const int axis = axis_of(layer);
    return TileBits(layer, layer.operand_index("W"), false, format, 0.999).of_tile(4 * 64, [&](int loop) {
      return loop == axis ? 64.0 : 4.0;
    });
  };
  for (int sixteenths = 0; sixteenths < 16; ++sixteenths) {
    const double density = sixteenths / 16.0;
    CAPTURE(density);
    const bool coordinates =
        bits(density, StoredFormat::coordinates) < bits(density, StoredFormat::bitmask);
    CHECK(coordinates == (density < (1 - 7.0 / 64) / 6));
  }
}

TEST_CASE("formats: what has no zeros, and partial sums, are stored as they are") {
  Layer layer = product(64, {"W", 1});
  const int w = layer.operand_index("W");
  CHECK(TileBits(layer, w, false, StoredFormat::bitmask, 0.999) == TileBits(layer, w, false));
  layer.sparsity = {{"O", 0.5}};
  CHECK(TileBits(layer, 0, false, StoredFormat::bitmask, 0.999) == TileBits(layer, 0, false));
  CHECK(TileBits(layer, 0, true, StoredFormat::bitmask, 0.999).in_format());
  layer.sparsity = {{"W", 1, "1:64", layer.loops[static_cast<std::size_t>(axis_of(layer))].name}};
  CHECK_THROWS_AS(TileBits(layer, w, false, StoredFormat::run_length, 0.999), InputError);
}
