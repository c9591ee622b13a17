#include "core/multicore/bound/detail/waiting_bound.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <vector>

#include "core/multicore/bound/schedule_bound.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "tests/unit/worlds/schedules.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz;
using test::ProblemSketch;

namespace {

/// The shortest schedule over all allocations, rules and gaps; infinite: none fits.
double shortest(const std::shared_ptr<const core::ScheduleProblem>& problem) {
  core::Scheduler scheduler(problem);
  double best = std::numeric_limits<double>::infinity();
  test::for_each_choice(*problem, [&](const core::ScheduleChoice& choice) {
    const core::ScheduleFigures figures = scheduler.evaluate(choice);
    if (figures.feasible) best = std::min(best, figures.latency);
  });
  return best;
}

/// Bounds of so many random problems against their shortest schedules.
void compare_small(int problems, std::uint64_t seed) {
  core::RandomNumbers random(seed, 0);
  std::vector<double> gaps;
  for (int i = 0; i < problems; ++i) {
    CAPTURE(i);
    ProblemSketch sketch = test::random_problem(random);
    const auto problem = sketch.problem(false);
    const double best = shortest(problem);
    const double bound = core::schedule_bound(*problem);
    if (!(best < std::numeric_limits<double>::infinity())) continue;
    CHECK(bound <= best);
    CHECK(core::WaitingBound(problem->tables()).of({}) <= bound);
    gaps.push_back(best / bound - 1);
  }
  std::sort(gaps.begin(), gaps.end());
  MESSAGE(gaps.size(), " problems; gap: median ", gaps[gaps.size() / 2], ", of nine tenths ",
          gaps[gaps.size() * 9 / 10], ", largest ", gaps.back());
  CHECK(gaps[gaps.size() / 2] < 0.1);
}

}  // namespace

TEST_CASE("waiting bound: no schedule of a small problem is shorter, and most are hardly longer") {
  compare_small(test::daily(20, 200), 1);
}

TEST_CASE("waiting bound: no schedule of thousands of small problems is shorter" * doctest::skip()) {
  compare_small(10000, 2);
}
