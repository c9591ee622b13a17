#include <doctest/doctest.h>
#include <vector>

#include "core/hardware/imc/imc_array.hpp"
#include "core/hardware/imc/technology.hpp"

using namespace zz::core;

namespace {

/// Adders of every kind counted one by one, over a tree whose first `used` leaves change.
struct Counted {
  double full = 0, half = 0;
};

Counted count(std::int64_t inputs, std::int64_t used, double width) {
  Counted counted;
  std::vector<bool> active(static_cast<std::size_t>(inputs));
  for (std::int64_t i = 0; i < used && i < inputs; ++i) active[static_cast<std::size_t>(i)] = true;
  for (; active.size() > 1; ++width) {
    std::vector<bool> sums;
    for (std::size_t i = 0; i < active.size(); i += 2) {
      if (active[i] && active[i + 1])
        counted.full += width;
      else if (active[i] || active[i + 1])
        counted.half += width;
      sums.push_back(active[i] || active[i + 1]);
    }
    active = sums;
  }
  return counted;
}

}  // namespace

TEST_CASE("a tree over 8 numbers of 4 bits: 4 adders of 4 bits, 2 of 5, 1 of 6, each with a carry") {
  const AdderTree tree{4, 8};
  CHECK(tree.depth() == 3);
  CHECK(tree.output_width() == 7);
  CHECK(tree.full_adders() == 4 * 4 + 2 * 5 + 1 * 6);
}

TEST_CASE("energy of a tree in part use equals the count adder by adder") {
  for (const std::int64_t inputs : {2, 4, 8, 64, 128}) {
    const AdderTree tree{5, static_cast<double>(inputs)};
    CHECK(tree.energy(0) == 0);
    for (std::int64_t used = 1; used <= inputs + 3; ++used) {
      const Counted counted = count(inputs, used, 5);
      CAPTURE(inputs);
      CAPTURE(used);
      CHECK(tree.energy(used) == doctest::Approx(counted.full * technology::full_adder::energy +
                                                 counted.half * technology::half_adder::energy)
                                     .epsilon(1e-12));
    }
  }
}

TEST_CASE("place-value adders") {
  CHECK(PlaceValueAdders{8, 1}.full_adders() == 0);
  CHECK(PlaceValueAdders{8, 1}.delay() == 0);
  CHECK(PlaceValueAdders{8, 1}.output_width() == 8);
  CHECK(PlaceValueAdders{8, 8}.full_adders() == 8 * 7 + 8 * 2.5);
  CHECK(PlaceValueAdders{8, 8}.output_width() == 16);
}
