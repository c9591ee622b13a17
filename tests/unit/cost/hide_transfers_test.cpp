#include <doctest/doctest.h>
#include <vector>

#include "core/cost/loading.hpp"

using zz::core::hide_transfers;
using zz::core::OneTimeTransfer;

TEST_CASE("hiding transfers: one transfer is hidden down to its minimum, in both modes") {
  for (const bool compat : {false, true}) {
    std::vector<OneTimeTransfer> transfers{{100, 10}};
    CHECK_FALSE(hide_transfers(transfers, 30, compat));
    CHECK(transfers[0].cycles == 70);
    CHECK_FALSE(hide_transfers(transfers, 1000, compat));
    CHECK(transfers[0].cycles == 10);
  }
}

TEST_CASE("hiding transfers: ZigZag's negative cycles only with compat") {
  std::vector<OneTimeTransfer> original{{100, 10}, {50, 5}};
  CHECK_FALSE(hide_transfers(original, 1000, true));
  CHECK(original[0].cycles == -35);
  CHECK(original[1].cycles == 5);

  std::vector<OneTimeTransfer> corrected{{100, 10}, {50, 5}};
  CHECK(hide_transfers(corrected, 1000, false));
  CHECK(corrected[0].cycles == 10);
  CHECK(corrected[1].cycles == 5);
}

TEST_CASE("hiding transfers: where ZigZag's result is possible, it is kept") {
  std::vector<OneTimeTransfer> transfers{{100, 0}, {50, 0}};
  CHECK_FALSE(hide_transfers(transfers, 20, false));
  CHECK(transfers[0].cycles == 80);
  CHECK(transfers[1].cycles == 50);
}

TEST_CASE("hiding transfers: corrected results stay within bounds and hide no more than there is") {
  for (double spare = 1; spare < 400; spare += 7) {
    const std::vector<OneTimeTransfer> before{{90, 80}, {90, 3}, {40, 60}, {200, 1}};
    std::vector<OneTimeTransfer> after = before;
    hide_transfers(after, spare, false);
    double hidden = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      CHECK(after[i].cycles <= before[i].cycles);
      CHECK(after[i].cycles >= std::min(before[i].minimum, before[i].cycles));
      hidden += before[i].cycles - after[i].cycles;
    }
    CHECK(hidden <= spare + 1e-9);
  }
}
