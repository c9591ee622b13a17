#include "core/search/optimal/detail/cost_to_go.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <limits>

#include "core/search/optimal/detail/energy_proof.hpp"
#include "tests/unit/search/optimal/brute_force.hpp"
#include "tests/unit/search/optimal/random_problems.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

double least_energy(const SearchProblem& problem, const LabelCosts& costs, const CapacityBranch& branch) {
  const JointCostToGo rest(problem.space, problem.fit, branch, costs, {{1, 0, 0}});
  return costs.constant[0] + rest.of({}, 0)[0];
}

struct Leaves {
  double least = std::numeric_limits<double>::infinity();
  int count = 0;
};

/// The least energy over all branches that are left when no operand competes with another one.
void split_to_the_end(const SearchProblem& problem, const LabelCosts& costs, const CapacityBranch& branch,
                      double bound_of_whole, Leaves& leaves) {
  const double bound = least_energy(problem, costs, branch);
  CHECK(bound >= bound_of_whole * (1 - 1e-12));
  if (!branch.contested()) {
    leaves.least = std::min(leaves.least, bound);
    ++leaves.count;
    return;
  }
  for (const CapacityBranch& half : branch.split()) split_to_the_end(problem, costs, half, bound, leaves);
}

}  // namespace

TEST_CASE("joint cost-to-go: with capacity split to the end, the least energy itself") {
  int split = 0;
  int raised = 0;
  for (std::uint32_t seed = 0; seed < daily(15U, 40U); ++seed) {
    CAPTURE(seed);
    const MappingProblem given = random_problem(seed);
    const SearchProblem problem(given);
    const double least = try_everything(given).least[0];
    if (least == std::numeric_limits<double>::infinity()) continue;
    const LabelCosts costs = energy_costs(problem);
    const CapacityBranch all(problem.space, problem.fit);
    const double bound = least_energy(problem, costs, all);
    CHECK(bound <= least * (1 + 1e-9));
    const CostToGo alone(problem.space, problem.fit, costs);
    double apart = costs.constant[0];
    for (int operand = 0; operand < problem.space.operands(); ++operand) apart += *alone.of(operand, 0, 0);
    CHECK(bound >= apart * (1 - 1e-9));
    if (bound > apart * (1 + 1e-9)) ++raised;
    Leaves leaves;
    split_to_the_end(problem, costs, all, bound, leaves);
    if (problem.fit.partial_matters())
      CHECK(leaves.least <= least * (1 + 1e-9));
    else
      CHECK(leaves.least == doctest::Approx(least).epsilon(1e-9));
    if (leaves.count > 1) ++split;
  }
  CHECK(split > daily(1, 5));
  CHECK(raised > daily(1, 5));
}
