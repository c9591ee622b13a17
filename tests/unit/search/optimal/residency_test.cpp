#include "core/search/optimal/detail/residency.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <random>

#include "core/search/optimal/detail/latency_sums.hpp"
#include "tests/unit/search/optimal/random_mapping.hpp"
#include "tests/unit/search/optimal/random_problems.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// Number of looks at loading that may hide, and of those whose bound was exact before any fill class was
/// known.
struct LoadingTally {
  int hiding = 0, exact = 0;
};

void look_at_loading(const SearchProblem& problem, std::uint32_t seed, LoadingTally& tally) {
  const PortLoads loads(problem);
  const LatencyCosts costs(problem, loads, nullptr);
  std::mt19937 random(seed);
  for (int i = 0; i < 20; ++i) {
    CAPTURE(i);
    const auto sample = random_mapping(problem, random);
    if (!sample) continue;
    const ResidencyLoading loading = costs.loading(sample->residency);
    FillClasses known{};
    for (int operand = 0; operand < problem.space.operands(); ++operand) {
      if (sample->residency[operand] > 0)
        known[operand] = costs.once().fill_class(operand, sample->below[operand][1]);
    }
    if (!loading.ports().all_known(known)) continue;
    const auto at = [&](const FillClasses& fill, double stalls) {
      return loading.least({}, fill, stalls, stalls) - stalls;
    };
    const double all_hidden = at(known, 1e9);
    for (const double stalls : {0.0, 20.0, 200.0}) {
      CAPTURE(stalls);
      const double exact = at(known, stalls);
      const double bound = at({}, stalls);
      CHECK(bound <= exact * (1 + 1e-9));
      if (!(exact > all_hidden + 1)) continue;
      ++tally.hiding;
      if (bound >= exact * (1 - 1e-9)) ++tally.exact;
    }
  }
}

}  // namespace

TEST_CASE("optimum: loading is bounded from below, and mostly closely, before fill classes are known") {
  LoadingTally tally;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    look_at_loading(SearchProblem(problem_with_uneven_ports(seed, seed % 2 != 0)), seed, tally);
  }
  CHECK(tally.hiding >= 50);
  CHECK(tally.exact > tally.hiding / 2);
}
