#include "core/multicore/search/detail/population_selection.hpp"

#include <doctest/doctest.h>

using namespace zz::core;

namespace {

ScheduleFigures figures(double latency, double energy) { return {true, latency, energy}; }

}  // namespace

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
