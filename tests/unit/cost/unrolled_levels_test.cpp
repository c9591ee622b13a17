#include <doctest/doctest.h>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/cost/cost_tables.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;

TEST_CASE("unrolled levels list loops by their number, level by level") {
  const Layer layer = zz::test::gemm(6, 8, 12);
  const UnrolledLevels levels(layer, {"O", {{}, {{"M", 2}, {"C", 3.5}}, {}, {{"N", 4}}}});
  REQUIRE(levels.size() == 4);
  std::vector<std::size_t> counts;
  for (std::size_t level = 0; level < levels.size(); ++level) counts.push_back(levels[level].size());
  CHECK(counts == std::vector<std::size_t>{0, 2, 0, 1});
  CHECK(levels[1][0].dimension == layer.loop_index("M"));
  CHECK(levels[1][1].factor == 3.5);
  CHECK(levels[3][0].dimension == layer.loop_index("N"));
  CHECK(levels.all().size() == 3);
}

TEST_CASE("unrolled levels refuse a loop that the layer does not have") {
  CHECK_THROWS_AS(UnrolledLevels(zz::test::gemm(6, 8, 12), {"O", {{{"FX", 2}}}}), InputError);
}
