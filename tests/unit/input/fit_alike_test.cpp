#include <doctest/doctest.h>

#include "core/hardware/layer_fit.hpp"
#include "tests/unit/cost/small_problems.hpp"

using namespace zz::core;

TEST_CASE("layers fit alike when their operands are linked alike, whatever their sizes") {
  const Layer layer = zz::test::gemm(6, 8, 12);
  CHECK(fit_alike(layer, zz::test::gemm(600, 8, 1)));
  Layer linked_otherwise = layer;
  REQUIRE_FALSE(linked_otherwise.mapping.links.empty());
  linked_otherwise.mapping.links[0].memory_operand = "elsewhere";
  CHECK_FALSE(fit_alike(layer, linked_otherwise));
  Layer renamed = layer;
  renamed.operands[1].name = "other";
  CHECK_FALSE(fit_alike(layer, renamed));
}
