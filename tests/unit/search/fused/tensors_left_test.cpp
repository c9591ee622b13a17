#include "core/search/fused/tensors_left.hpp"

#include <cmath>
#include <doctest/doctest.h>

#include "core/search/fused/exchange_memories.hpp"
#include "core/search/fused/fused_search.hpp"
#include "tests/unit/search/fused/einsums.hpp"

namespace zz {
namespace {

core::FusedOptimum found_with(std::int64_t bits) {
  const test::EinsumNetwork chain{"chain",
                                  {{'m', 6}, {'a', 4}, {'b', 3}, {'c', 4}},
                                  {{"first", {{"x", "ma"}, {"u", "ab"}}, {"y", "mb"}},
                                   {"second", {{"y", "mb"}, {"v", "bc"}}, {"z", "mc"}}}};
  const core::FusedNetwork network = test::fusable(test::workload(chain), test::accelerator({bits, 8}));
  return core::find_fused_mapping(network, {});
}

}  // namespace

TEST_CASE("tensors left: with the room that is told, a search saves what is told, or more") {
  int told = 0;
  for (const std::int64_t buffer : {3, 4, 5, 6, 7, 8}) {
    CAPTURE(buffer);
    const core::FusedOptimum found = found_with(8 * buffer);
    const std::vector<int> exchange_memories =
        core::exchange_memories(*found.network.layers.front().problem.accelerator, {"buffer"});
    for (const core::LeftTensor& left :
         core::tensors_left(found.network, found.mapping, exchange_memories)) {
      REQUIRE(left.obstacle.empty());
      if (left.saved <= 0) continue;
      CHECK(left.missing == left.needed - static_cast<double>(8 * buffer));
      CHECK(left.missing > 0);
      const auto enough = static_cast<std::int64_t>(std::ceil(left.needed));
      CHECK(found_with(enough).value <= found.value - left.saved + 1e-6);
      ++told;
    }
  }
  CHECK(told > 0);
}

}  // namespace zz
