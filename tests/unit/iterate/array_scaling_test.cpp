#include "plugins/iterate/array_scaling.hpp"

#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"

namespace {

using namespace zz::core;
using namespace zz::plugins;

Accelerator with_array(std::vector<ArrayDimension> dimensions) {
  Accelerator accelerator;
  accelerator.name = "small";
  accelerator.array.dimensions = std::move(dimensions);
  return accelerator;
}

}  // namespace

TEST_CASE("ratios are read as numbers and fractions") {
  CHECK(ratio_from_text("2").of(3) == 6);
  CHECK(ratio_from_text("1/2").of(6) == 3);
  CHECK(ratio_from_text(" 6 / 4 ").of(2) == 3);
  CHECK(ratio_from_text("0.1").of(30) == 3);
  CHECK(ratio_from_text("0.375").of(8) == 3);
  CHECK(ratio_from_text("2.0").of(5) == 10);
  CHECK_FALSE(ratio_from_text("1/2").of(3).has_value());
  CHECK_FALSE(ratio_from_text("0.3333").of(3).has_value());
  for (const char* wrong : {"", "0", "-1", "1/0", "1/-2", "x", "1/2/3", "2 x", "nan", "inf", "0x"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(ratio_from_text(wrong), InputError);
  }
}

TEST_CASE("every dimension of the array is scaled, or none") {
  const Accelerator scaled = scaled_array(with_array({{"D1", 8}, {"D2", 2}}), ratio_from_text("1/2"));
  CHECK(scaled.name == "small-scaled");
  CHECK(scaled.array.dimensions[0].size == 4);
  CHECK(scaled.array.dimensions[1].size == 1);
  CHECK_THROWS_AS(scaled_array(with_array({{"D1", 8}, {"D2", 3}}), ratio_from_text("1/2")), InputError);
}

TEST_CASE("along a dimension one factor is scaled, so that the loops fill as much of it as before") {
  const SpatialUnrolling given{
      {{"D1", {{"G", 1}, {"K", 4}, {"C", 2}}}, {"D2", {{"C", 3}, {"K", 2}}}, {"D3", {}}}};
  const SpatialUnrolling half = scaled_unrolling(given, ratio_from_text("1/2"));
  CHECK(half.dimensions[0].loops == std::vector<SpatialLoop>{{"G", 1}, {"K", 2}, {"C", 2}});
  CHECK(half.dimensions[1].loops == std::vector<SpatialLoop>{{"C", 3}, {"K", 1}});
  CHECK(half.dimensions[2].loops.empty());
}
