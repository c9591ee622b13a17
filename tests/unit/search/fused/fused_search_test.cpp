#include "core/search/fused/fused_search.hpp"

#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "tests/unit/search/fused/brute_force.hpp"
#include "tests/unit/search/fused/einsums.hpp"

namespace zz {
namespace {

/// Seeds from `first` on; every second group has registers below the buffer.
void compare_with_brute_force(std::uint64_t first, int groups) {
  int pays = 0, compared = 0;
  for (std::uint64_t seed = first; compared < groups; ++seed) {
    const test::RandomGroup group = test::random_group(seed, seed / 6 % 2 == 1);
    CAPTURE(seed);
    CAPTURE(group.network.kind);
    core::FusedNetwork network;
    try {
      network = test::fusable(test::workload(group.network), test::accelerator(group.unit));
    } catch (const core::NoResult&) {
      continue;  // some layer does not fit by itself
    }
    const core::FusedOptimum found = core::find_fused_mapping(network, {});
    const test::BruteForce all = test::brute_force(group.network, network);
    CHECK(found.value == doctest::Approx(all.energy).epsilon(1e-9));
    CHECK(found.lower_bound == doctest::Approx(found.value).epsilon(1e-12));
    CHECK(found.value <= found.unfused * (1 + 1e-12));
    pays += found.value < found.unfused * (1 - 1e-9) ? 1 : 0;
    ++compared;
  }
  CHECK(2 * pays > groups);
}

}  // namespace

TEST_CASE("fused: equal to brute force over small groups") { compare_with_brute_force(1, 200); }

TEST_CASE("fused: equal to brute force over thousands of groups" * doctest::skip()) {
  compare_with_brute_force(100000, 2000);
}

}  // namespace zz
