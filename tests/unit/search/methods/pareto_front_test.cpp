#include "core/search/methods/pareto_front.hpp"

#include <doctest/doctest.h>

using namespace zz::core;

TEST_CASE("Pareto front: keeps what nothing beats, by ascending energy") {
  ParetoFront<int> front;
  CHECK(front.add(0, 10, 10));
  CHECK(front.add(1, 20, 5));
  CHECK(front.add(2, 5, 20));
  CHECK_FALSE(front.add(3, 10, 10));  // equal: the first stays
  CHECK_FALSE(front.add(3, 11, 10));
  REQUIRE_EQ(front.points().size(), 3);
  CHECK_EQ(front.points()[0].energy, 5);
  CHECK_EQ(front.points()[1].choice, 0);
  CHECK_EQ(front.points()[2].latency, 5);

  CHECK(front.add(4, 9, 5));  // beats two of them
  REQUIRE_EQ(front.points().size(), 2);
  CHECK_EQ(front.points()[0].choice, 4);
  CHECK(front.covers(9, 5));
  CHECK(front.covers(5, 30));
  CHECK_FALSE(front.covers(8, 19));
  CHECK_FALSE(front.covers(100, 4));
}
