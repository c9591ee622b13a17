#include "core/search/fused/group_savings.hpp"

#include <cmath>
#include <doctest/doctest.h>

#include "core/search/fused/fused_search.hpp"
#include "tests/unit/search/fused/einsums.hpp"

namespace zz {

TEST_CASE("group savings: those of all tensors add up to what the group saves, the largest first") {
  const test::EinsumNetwork chain{"chain",
                                  {{'m', 6}, {'a', 4}, {'b', 3}, {'c', 4}},
                                  {{"first", {{"x", "ma"}, {"u", "ab"}}, {"y", "mb"}},
                                   {"second", {{"y", "mb"}, {"v", "bc"}}, {"z", "mc"}}}};
  int compared = 0;
  for (const std::int64_t buffer : {10, 12, 24, 40}) {
    CAPTURE(buffer);
    const core::FusedOptimum found = core::find_fused_mapping(
        test::fusable(test::workload(chain), test::accelerator({8 * buffer, 8})), {});
    for (const core::RepeatedGroup& row : core::distinct_groups(found.network, found.mapping)) {
      const std::vector<core::TensorSaving> savings =
          core::savings_of(found.network, found.mapping, row.group);
      REQUIRE(!savings.empty());
      CHECK(savings.front().tensor == "first");
      double all = 0, before = core::infinite;
      for (const core::TensorSaving& one : savings) {
        CHECK(std::abs(one.saved) <= before);
        before = std::abs(one.saved);
        all += one.saved;
      }
      CHECK(all == doctest::Approx(row.unfused - row.fused).epsilon(1e-9));
      ++compared;
    }
  }
  CHECK(compared > 0);
}

}  // namespace zz
