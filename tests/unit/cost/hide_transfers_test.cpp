#include <doctest/doctest.h>
#include <vector>

#include "core/cost/loading.hpp"

using zz::core::hide_transfers;
using zz::core::OneTimeTransfer;

namespace {

std::vector<double> hidden(std::vector<OneTimeTransfer> transfers, double spare, bool as_zigzag_3_8) {
  hide_transfers(transfers, spare, as_zigzag_3_8);
  std::vector<double> cycles;
  for (const OneTimeTransfer& transfer : transfers) cycles.push_back(transfer.cycles);
  return cycles;
}

using Cycles = std::vector<double>;

}  // namespace

TEST_CASE("hiding transfers: one transfer is hidden down to its minimum, in every version") {
  for (const bool as_zigzag_3_8 : {false, true}) {
    CHECK(hidden({{100, 10}}, 30, as_zigzag_3_8) == Cycles{70});
    CHECK(hidden({{100, 10}}, 1000, as_zigzag_3_8) == Cycles{10});
  }
}

// The examples of the specification, run through both versions of ZigZag.
TEST_CASE("hiding transfers: the longest first by default, in steps without bounds as ZigZag 3.8.5") {
  CHECK(hidden({{2209, 5}, {1, 1}, {982, 1}}, 13916, false) == Cycles{5, 1, 1});
  CHECK(hidden({{2209, 5}, {1, 1}, {982, 1}}, 13916, true) == Cycles{-976, 1, 1});
  CHECK(hidden({{100, 10}, {80, 10}}, 50, false) == Cycles{50, 80});
  CHECK(hidden({{100, 10}, {80, 10}}, 50, true) == Cycles{50, 80});
  CHECK(hidden({{80, 10}, {100, 10}, {80, 10}}, 150, false) == Cycles{20, 10, 80});
  CHECK(hidden({{80, 10}, {100, 10}, {80, 10}}, 150, true) == Cycles{50, -20, 80});
  CHECK(hidden({{256, 256}, {256, 256}, {256, 1}}, 8190, false) == Cycles{256, 256, 1});
  CHECK(hidden({{256, 256}, {256, 256}, {256, 1}}, 8190, true) == Cycles{1, 1, 1});
}

TEST_CASE("hiding transfers: results stay within bounds, and as much is hidden as can be") {
  for (double spare = 1; spare < 400; spare += 7) {
    const std::vector<OneTimeTransfer> before{{90, 80}, {90, 3}, {40, 60}, {200, 1}};
    std::vector<OneTimeTransfer> after = before;
    hide_transfers(after, spare, false);
    double taken = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      CHECK(after[i].cycles <= before[i].cycles);
      CHECK(after[i].cycles >= std::min(before[i].minimum, before[i].cycles));
      taken += before[i].cycles - after[i].cycles;
    }
    CHECK(taken == std::min(spare, 10.0 + 87 + 199));
  }
}
