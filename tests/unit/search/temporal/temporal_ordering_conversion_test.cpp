#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "core/search/temporal/user_ordering.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

ConvertedOrdering converted(std::vector<OrderingEntry> ordering, bool compat = false) {
  Layer layer = gemm(12, 4, 3);
  layer.mapping.spatial_mapping = {{{"D1", {{"M", 2}}}}};
  layer.mapping.temporal_ordering = std::move(ordering);
  const Accelerator accelerator = small_accelerator(64, 4096, 8);
  return convert_temporal_ordering(
      layer, accelerator,
      convert_spatial_mapping(layer, accelerator, rules_of(compat ? "zigzag-3.8.5" : "")).fractional,
      MappingType::uneven, rules_of(compat ? "zigzag-3.8.5" : ""));
}

std::string loops(const ConvertedOrdering& result) {
  std::string text;
  for (const TemporalLoop& loop : result.mapping.loops)
    text += loop.dimension + std::to_string(loop.size) + " ";
  return text;
}

}  // namespace

TEST_CASE("ordering conversion: 'all' is what the unrolling and earlier entries leave") {
  for (const bool compat : {false, true}) {
    const ConvertedOrdering result =
        converted({{"M", 3}, {"C", {}, true}, {"N", 4}, {"M", {}, true}}, compat);
    CHECK(loops(result) == "M3 C3 N4 M2 ");
    REQUIRE(result.mapping.operands.size() == 3);
    CHECK(result.mapping.operands[0].allocated.back() == 4);
  }
}

TEST_CASE("ordering conversion: unknown loops are dropped with a warning") {
  const ConvertedOrdering result = converted({{"M", 6}, {"OX", 7}, {"C", 3}, {"N", {}}});
  CHECK(loops(result) == "M6 C3 N4 ");
  REQUIRE(result.warnings.size() == 1);
  CHECK(result.warnings[0].find("OX") != std::string::npos);
}

TEST_CASE("ordering conversion: loops must be covered exactly, unless ZigZag's defects are asked for") {
  CHECK_THROWS_AS(converted({{"M", 6}, {"C", 3}}), NoResult);
  CHECK_THROWS_AS(converted({{"M", 12}, {"C", 3}, {"N", 4}}), NoResult);
  CHECK_THROWS_AS(converted({{"M", 24}, {"C", 3}, {"N", 4}}), InputError);
  CHECK_THROWS_AS(converted({}), InputError);
  CHECK_THROWS_AS(converted({}, true), InputError);
  CHECK(loops(converted({{"M", 6}, {"C", 3}}, true)) == "M6 C3 ");
}
