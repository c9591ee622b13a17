#include "core/allocation/detail/pareto_front.hpp"

#include <doctest/doctest.h>

using namespace zz::core;

namespace {

ScheduleFigures figures(double latency, double energy) { return {true, latency, energy}; }

ScheduleChoice on_core(int core) {
  ScheduleChoice choice;
  choice.cores = {core};
  return choice;
}

}  // namespace

TEST_CASE("Pareto front: keeps what nothing beats, by ascending energy") {
  ParetoFront front;
  CHECK(front.add(on_core(0), figures(10, 10)));
  CHECK(front.add(on_core(1), figures(20, 5)));
  CHECK(front.add(on_core(2), figures(5, 20)));
  CHECK_FALSE(front.add(on_core(3), figures(10, 10)));  // equal: the first stays
  CHECK_FALSE(front.add(on_core(3), figures(11, 10)));
  CHECK_FALSE(front.add(on_core(3), {false, 1, 1}));
  REQUIRE_EQ(front.points().size(), 3);
  CHECK_EQ(front.points()[0].energy, 5);
  CHECK_EQ(front.points()[1].choice.cores[0], 0);
  CHECK_EQ(front.points()[2].latency, 5);

  CHECK(front.add(on_core(4), figures(9, 5)));  // beats two of them
  REQUIRE_EQ(front.points().size(), 2);
  CHECK_EQ(front.points()[0].choice.cores[0], 4);
  CHECK(front.covers(9, 5));
  CHECK(front.covers(5, 30));
  CHECK_FALSE(front.covers(8, 19));
  CHECK_FALSE(front.covers(100, 4));
}

TEST_CASE("NSGA-II selection: fronts first, then those that stand apart") {
  const std::vector<ScheduleFigures> population = {
      figures(5, 5),      // front 2
      figures(1, 9),      // front 1, end
      figures(4, 4.9),    // front 1
      figures(4.1, 4.5),  // front 1, crowded
      figures(9, 1),      // front 1, end
      figures(1, 9),      // equal to an earlier one
      {false, 0, 0},      // infeasible
      figures(8.5, 8.5),  // front 3
  };
  using Indices = std::vector<std::size_t>;
  CHECK_EQ(select_best(population, 2), Indices{1, 4});
  CHECK_EQ(select_best(population, 3), Indices{1, 4, 3});
  CHECK_EQ(select_best(population, 4), Indices{1, 2, 3, 4});
  CHECK_EQ(select_best(population, 5), Indices{1, 2, 3, 4, 0});
  CHECK_EQ(select_best(population, 20), Indices{1, 2, 3, 4, 0, 7, 5, 6});
  CHECK(select_best({}, 3).empty());
}
