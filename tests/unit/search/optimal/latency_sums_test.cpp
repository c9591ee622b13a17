#include "core/search/optimal/detail/latency_sums.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <random>
#include <vector>

#include "tests/unit/search/optimal/random_mapping.hpp"
#include "tests/unit/search/optimal/random_problems.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

constexpr double any = 1e9;  // cycles
constexpr double rounding = 1 + 1e-9;

/// Every bound that a search may ask for of a subproblem that has the mapping, against its latency.
class BoundsOfMapping {
 public:
  BoundsOfMapping(const SearchProblem& problem, const LatencyCosts& costs, const SampledMapping& sample,
                  const PortLoads& loads)
      : costs_(costs),
        residency_(sample.residency),
        loading_(costs.loading(sample.residency)),
        sums_(sums_of(problem, costs, sample)) {
    const Score score = problem.model.score(sample.mapping);
    latency_ = score.latency_total2;
    stalls_ = score.latency_total0 - loads.computation;
    for (int operand = 0; operand < problem.space.operands(); ++operand) {
      if (sample.residency[operand] > 0)
        first_[operand] = costs.once().fill_class(operand, sample.below[operand][1]);
    }
  }

  bool computable() const { return std::isfinite(latency_); }
  /// The bound of the mapping's own sums is its latency.
  bool attained() const {
    return costs_.latency(loading_, sums_.data(), first_, any) >= latency_ / rounding;
  }

  void check(std::mt19937& random) const {
    const std::vector<double> least = costs_.least_sums(residency_);
    for (std::size_t i = 0; i < least.size(); ++i) CHECK(least[i] <= sums_[i] + 1e-9 * std::abs(sums_[i]));
    CHECK(costs_.least_stalls(sums_.data()) <= stalls_ + 1e-6);
    std::vector<double> partial = sums_;
    // Sums are whole, so that bounds are rounded up to whole cycles.
    for (double& sum : partial) sum = std::floor(sum * (random() % 3 == 0 ? (sum < 0 ? 2 : 0.5) : 1));
    FillClasses some = first_;
    for (std::uint16_t& known : some) known = random() % 2 ? known : std::uint16_t{0};
    const double much = 2 * stalls_ + 100;
    for (const auto& sums : {sums_, partial, least}) {
      for (const FillClasses& first : {first_, some, FillClasses{}}) {
        for (const double most_stalls : {any, much, stalls_})
          CHECK(costs_.latency(loading_, sums.data(), first, most_stalls) <= latency_ * rounding);
      }
    }
  }

 private:
  const LatencyCosts& costs_;
  FinalResidency residency_;
  ResidencyLoading loading_;
  std::vector<double> sums_;
  FillClasses first_{};
  double latency_ = 0, stalls_ = 0;
};

struct Looked {
  int at = 0, attained = 0;

  void at_problem(const SearchProblem& problem, std::uint32_t seed) {
    CAPTURE(seed);
    CAPTURE(problem.given.options.rules.loading_below_minimum);
    const PortLoads loads(problem);
    const LatencyCosts costs(problem, loads, nullptr);
    std::mt19937 random(seed);
    for (int i = 0; i < 60; ++i) {
      CAPTURE(i);
      const auto sample = random_mapping(problem, random);
      if (!sample) continue;
      const BoundsOfMapping bounds(problem, costs, *sample, loads);
      if (!bounds.computable()) continue;
      ++at;
      bounds.check(random);
      if (bounds.attained()) ++attained;
    }
  }
};

}  // namespace

TEST_CASE("optimum: no bound of the latency is above the latency of a mapping it is for") {
  Looked looked;
  // Rare cases: windows that leave a port too few cycles, and hiding that depends on the cycles that cannot
  // be hidden.
  std::vector<std::uint32_t> seeds = {251, 327, 707, 431, 606};
  for (std::uint32_t seed = 0; seed < 160; ++seed) seeds.push_back(seed);
  for (const std::uint32_t seed : seeds)
    looked.at_problem(SearchProblem(problem_with_uneven_ports(seed, seed % 2 != 0)), seed);

  CHECK(looked.at > 1000);
  CHECK(looked.attained > looked.at / 2);
}

TEST_CASE("optimum: bounds of the latency where a port waits for nothing but other memories") {
  Looked looked;
  // Rare: windows of two inputs that leave it too few cycles, while no sums return through it.
  std::vector<std::uint32_t> seeds = {14007, 17643, 17973};
  for (std::uint32_t seed = 0; seed < 20; ++seed) seeds.push_back(seed);
  for (const std::uint32_t seed : seeds)
    looked.at_problem(SearchProblem(problem_with_dealt_ports(seed)), seed);

  CHECK(looked.at > 100);
}
