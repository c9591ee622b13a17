#include "core/search/spatial/spatial_conversion.hpp"

#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/problems.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

ConvertedSpatialMapping convert(Layer layer, const Accelerator& accelerator, const Unrolling& unrolling,
                                bool compat = false) {
  layer.mapping.spatial_mapping.dimensions = unrolling;
  return convert_spatial_mapping(layer, accelerator, rules_of(compat ? "zigzag-3.8.5" : ""));
}

/// Total unrolling of a loop for the first operand.
double total(const SpatialMapping& mapping, const std::string& dimension) {
  double product = 1;
  for (const auto& level : mapping.operands.front().levels) {
    for (const UnrolledLoop& loop : level) {
      if (loop.dimension == dimension) product *= loop.factor;
    }
  }
  return product;
}

}  // namespace

TEST_CASE(
    "spatial conversion: a factor that does not divide is an average, and whole the fullest round's") {
  for (const bool compat : {false, true}) {
    const auto converted = convert(gemm(7, 6, 5), array_of({4}), {{"D1", {{"M", 4}}}}, compat);
    CHECK(total(converted.fractional, "M") == 3.5);             // 7 in two rounds
    CHECK(total(converted.integral, "M") == (compat ? 3 : 4));  // ZigZag cuts it
    const auto exact = convert(gemm(8, 6, 5), array_of({4}), {{"D1", {{"M", 4}}}}, compat);
    CHECK(total(exact.fractional, "M") == 4);
    CHECK(total(exact.integral, "M") == 4);
  }
}

TEST_CASE("spatial conversion: several loops on one array dimension stay side by side") {
  const auto converted = convert(gemm(8, 6, 4), array_of({16}), {{"D1", {{"M", 4}, {"C", 2}, {"N", 2}}}});
  const auto& output = converted.fractional.operands[0];
  CHECK(output.operand == "O");
  CHECK(output.levels == LevelsOfOperand{{}, {{"M", 4}, {"C", 2}, {"N", 2}}, {}});
  // Activations have no register: they go from the memory to all units at once.
  CHECK(converted.fractional.operands[1].levels == LevelsOfOperand{{{"M", 4}, {"C", 2}, {"N", 2}}, {}});
}

TEST_CASE(
    "spatial conversion: one loop on two array dimensions is one factor where one memory serves both") {
  const auto converted =
      convert(gemm(12, 6, 4), array_of({4, 2}), {{"D1", {{"M", 2}, {"N", 2}}}, {"D2", {{"M", 2}}}});
  CHECK(converted.fractional.operands[0].levels == LevelsOfOperand{{}, {{"M", 4}, {"N", 2}}, {}});
}

TEST_CASE("spatial conversion: array dimensions that no memory of an operand shares are above its levels") {
  Accelerator columns = array_of({4, 2});
  columns.memories[2].operands = {"I1", "O"};  // weights end in their registers
  const auto converted = convert(gemm(12, 6, 4), columns, {{"D1", {{"M", 4}}}, {"D2", {{"N", 2}}}});
  CHECK(converted.fractional.operands[2].levels == LevelsOfOperand{{}, {{"M", 4}, {"N", 2}}});
}

TEST_CASE("spatial conversion: an array may have one dimension, or five") {
  const auto line = convert(gemm(8, 6, 4), array_of({8}), {{"D1", {{"M", 8}}}});
  CHECK(total(line.fractional, "M") == 8);
  const auto converted = convert(
      gemm(8, 6, 4), array_of({2, 2, 2, 2, 2}),
      {{"D1", {{"M", 2}}}, {"D2", {{"N", 2}}}, {"D3", {{"C", 2}}}, {"D4", {{"M", 2}}}, {"D5", {{"C", 2}}}});
  CHECK(total(converted.fractional, "M") == 4);
  CHECK(total(converted.fractional, "N") == 2);
  CHECK(total(converted.fractional, "C") == 4);
  // The order is that in which ZigZag walks the set of served dimensions.
  CHECK(converted.fractional.operands[0].levels[1].size() == 3);
}

TEST_CASE(
    "spatial conversion: a loop that takes up the remainder counts later array dimensions, "
    "ZigZag does not") {
  // 12 iterations on 4 x 2 units take two rounds of 6.
  const Unrolling larger_first{{"D1", {{"M", 4}}}, {"D2", {{"M", 2}}}};
  const auto ours = convert(gemm(12, 6, 4), array_of({4, 2}), larger_first);
  CHECK(total(ours.fractional, "M") == 6);
  CHECK(total(ours.integral, "M") == 6);
  // ZigZag unrolls 8 in each of the two rounds, though only 12 iterations are there.
  const auto compat = convert(gemm(12, 6, 4), array_of({4, 2}), larger_first, true);
  CHECK(total(compat.fractional, "M") == 8);
  // With the larger factor last, both agree.
  const Unrolling larger_last{{"D1", {{"M", 2}}}, {"D2", {{"M", 4}}}};
  for (const bool zigzag : {false, true})
    CHECK(total(convert(gemm(12, 6, 4), array_of({2, 4}), larger_last, zigzag).fractional, "M") == 6);
}

TEST_CASE("spatial conversion: whatever two array dimensions unroll, all rounds together are the loop") {
  for (std::int64_t size = 1; size <= 40; ++size) {
    for (std::int64_t first = 1; first <= size; ++first) {
      for (std::int64_t second = 1; first * second <= size; ++second) {
        const auto converted = convert(gemm(size, 2, 2), array_of({40, 40}),
                                       {{"D1", {{"M", first}}}, {"D2", {{"M", second}}}});
        const double units = total(converted.fractional, "M");
        const auto rounds = static_cast<double>((size + first * second - 1) / (first * second));
        CHECK(units * rounds == doctest::Approx(static_cast<double>(size)));
        CHECK(total(converted.integral, "M") * rounds >= static_cast<double>(size));
        CHECK(total(converted.integral, "M") <= static_cast<double>(first * second));
      }
    }
  }
}

TEST_CASE(
    "spatial conversion: loops that the layer lacks are left out, factors above the array are lowered") {
  const auto converted = convert(gemm(8, 6, 4), array_of({4}), {{"D1", {{"OX", 2}, {"M", 8}}}});
  CHECK(total(converted.fractional, "M") == 4);
  REQUIRE(converted.warnings.size() == 2);
  CHECK(converted.warnings[0].find("there is no loop OX, OX 2 on D1 is left out") != std::string::npos);
  CHECK(converted.warnings[1].find("D1 has 4 units, M 8 is cut to 4") != std::string::npos);
}

TEST_CASE("spatial conversion: more units than iterations, or an unknown array dimension, is an error") {
  const Accelerator square = array_of({16, 16});
  CHECK_THROWS_AS(convert(gemm(8, 6, 4), square, {{"D1", {{"M", 9}}}}), InputError);
  CHECK_THROWS_AS(convert(gemm(8, 6, 4), square, {{"D1", {{"M", 0}}}}), InputError);
  CHECK_THROWS_AS(convert(gemm(8, 6, 4), square, {{"D3", {{"M", 2}}}}), InputError);
  CHECK_THROWS_WITH_AS(
      convert(gemm(8, 6, 4), square, {{"D1", {{"M", 4}}}, {"D2", {{"M", 4}}}}),
      "layer 'small': M has 8 iterations and cannot be unrolled 4 times on D1 and 4 times on D2",
      InputError);
}
