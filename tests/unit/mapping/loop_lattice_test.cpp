#include "core/mapping/loop_lattice.hpp"

#include <doctest/doctest.h>

using namespace zz::core;

TEST_CASE("loop lattice: a point for every choice of loops, one step for each loop") {
  const auto lattice = LoopLattice::make({{0, 2}, {1, 3}, {0, 2}, {1, 5}}, 100);
  REQUIRE(lattice != nullptr);
  CHECK(lattice->points() == 3 * 2 * 2);
  CHECK(lattice->kinds().size() == 3);
  CHECK(lattice->iterations(0) == 1);
  CHECK(lattice->iterations(lattice->all()) == 60);
  const int twos = lattice->kind_of({0, 2}), fives = lattice->kind_of({1, 5});
  const LoopLattice::Point point = 2 * lattice->kinds()[twos].stride + lattice->kinds()[fives].stride;
  CHECK(lattice->iterations(point) == 20);
  CHECK(lattice->placed(point, twos) == 2);
  CHECK(lattice->placed(point, fives) == 1);
  CHECK(lattice->placed(point, lattice->kind_of({1, 3})) == 0);
  CHECK(lattice->kind_of({2, 2}) == -1);
}

TEST_CASE("loop lattice: none where tables would be large, beyond counting or useless") {
  CHECK(LoopLattice::make({{0, 2}, {1, 3}, {2, 5}}, 7) == nullptr);
  CHECK(LoopLattice::make({{0, 1}}, 100) == nullptr);
  CHECK(LoopLattice::make({{0, std::int64_t{1} << 32}, {1, std::int64_t{1} << 31}}, 100) == nullptr);
  CHECK(LoopLattice::make(std::vector<RemainingLoop>(22, {0, 2}), 100) == nullptr);
  CHECK(LoopLattice::make({}, 100)->points() == 1);
}
