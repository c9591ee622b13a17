#include "core/search/temporal/loop_factors.hpp"

#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

using Entries = std::vector<std::pair<std::int64_t, int>>;

std::int64_t rounds_of(std::int64_t size, std::int64_t units, bool compat) {
  Layer layer = gemm(size, 2, 2);
  Accelerator accelerator = small_accelerator(32, 512, 8);
  accelerator.array.dimensions[0].size = units;
  layer.mapping.spatial_mapping = {{{"D1", {{"M", units}}}}};
  const SpatialMapping spatial =
      convert_spatial_mapping(layer, accelerator, rules_of(compat ? "zigzag-3.8.5" : "")).fractional;
  return remaining_loops(layer, spatial, rules_of(compat ? "zigzag-3.8.5" : "")).front().size;
}

}  // namespace

TEST_CASE(
    "remaining loops: a loop takes as many rounds as its units need, ZigZag's rounding only with compat") {
  CHECK(rounds_of(12, 4, false) == 3);
  CHECK(rounds_of(34, 5, false) == 7);
  CHECK(rounds_of(34, 5, true) == 8);
  for (std::int64_t size = 2; size < daily(100, 400); ++size) {
    for (std::int64_t units = 2; units < size; ++units) {
      const std::int64_t rounds = rounds_of(size, units, false);
      if (rounds != (size + units - 1) / units) FAIL(size << " on " << units << " units: " << rounds);
    }
  }
}

TEST_CASE("orders: of the prime factors that the unrolling leaves, equal ones told apart by nothing") {
  Layer layer = gemm(16, 12, 7);
  Accelerator accelerator = small_accelerator(32, 512, 8);
  accelerator.array.dimensions[0].size = 2;
  layer.mapping.spatial_mapping = {{{"D1", {{"M", 2}}}}};
  const SpatialMapping spatial = convert_spatial_mapping(layer, accelerator, {}).fractional;
  // M 2, 2, 2; N 2, 2, 3; K 7: seven factors.
  CHECK(count_of_orders(layer, spatial, {}) == 5040 / 6 / 2);
}

TEST_CASE("loop factors: small factors of the dimension with most are merged until the limit holds") {
  const Layer layer = gemm(8, 12, 7);
  const std::vector<RemainingLoop> loops{{0, 8}, {1, 12}, {2, 7}};
  CHECK(loop_factors(layer, loops, {}, 0, {})[0].entries == Entries{{2, 3}});
  const auto limited = loop_factors(layer, loops, {}, 5, {});
  CHECK(limited[0].entries == Entries{{2, 1}, {4, 1}});
  CHECK(limited[1].entries == Entries{{3, 1}, {4, 1}});
  CHECK(limited[2].entries == Entries{{7, 1}});
  // Never fewer than one factor a dimension.
  CHECK(loop_factors(layer, loops, {}, 1, {})[1].entries == Entries{{12, 1}});
}

TEST_CASE(
    "loop factors: a constrained size of two primes stays the size of the loop, ZigZag's 18 only with "
    "compat") {
  const Layer layer = gemm(6, 2, 2);
  const std::vector<RemainingLoop> loops{{0, 6}};
  CHECK(loop_factors(layer, loops, {{0, 0, 6}}, 0, {})[0].entries == Entries{{6, 1}});
  const auto compat = loop_factors(layer, loops, {{0, 0, 6}}, 0, rules_of("zigzag-3.8.5"));
  std::int64_t product = 1;
  for (const auto& [value, count] : compat[0].entries) {
    for (int i = 0; i < count; ++i) product *= value;
  }
  CHECK(product == 18);
  CHECK_THROWS_AS(loop_factors(layer, loops, {{0, 0, 4}}, 0, {}), NoResult);
}

TEST_CASE("loop factors: what an ordering places is not merged, even beyond the limit") {
  const Layer layer = gemm(24, 2, 2);
  const std::vector<RemainingLoop> loops{{0, 24}};
  // Three loops of any size, and one of 4.
  CHECK(loop_factors(layer, loops, {{0, 0, {}}, {1, 0, {}}, {2, 0, {}}}, 1, {})[0].entries ==
        Entries{{2, 1}, {3, 1}, {4, 1}});
  CHECK(loop_factors(layer, loops, {{0, 0, 4}}, 1, {})[0].entries == Entries{{4, 1}, {6, 1}});
  CHECK(loop_factors(layer, loops, {{0, 0, 2}, {1, 0, 2}}, 1, {})[0].entries == Entries{{2, 2}, {6, 1}});
}
