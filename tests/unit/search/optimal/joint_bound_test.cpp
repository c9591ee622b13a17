#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <random>
#include <vector>

#include "core/cost/data_footprint.hpp"
#include "core/search/optimal/detail/cost_to_go.hpp"
#include "core/search/optimal/detail/latency_sums.hpp"
#include "tests/unit/cost/boundary_costs.hpp"
#include "tests/unit/search/optimal/random_mapping.hpp"
#include "tests/unit/search/optimal/random_problems.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// The bounds that a search has for the partial mappings that lead to a mapping.
class OnTheWay {
 public:
  OnTheWay(const SearchProblem& problem, const LatencyCosts& costs, const PortLoads& loads,
           const SampledMapping& sample, std::mt19937& random)
      : problem_(problem), costs_(costs), sample_(sample), boundaries_(costs.costs(sample.residency)) {
    const Score score = problem.model.score(sample.mapping);
    latency_ = score.latency_total2;
    most_stalls_ = 2 * (score.latency_total0 - loads.computation) + 100;
    loading_ = std::make_shared<const ResidencyLoading>(costs.loading(sample.residency));
    const auto latencies = costs.latency_components(*loading_, most_stalls_);
    std::vector<WeightedSum> sums = LagrangianBound::sums(latencies, false);
    // Any components may turn out to be those that a search mixes.
    std::vector<double> lengths(static_cast<std::size_t>(boundaries_.components));
    for (double& length : lengths) length = static_cast<double>(random() % 1000);
    mixtures_ = LagrangianBound::mixtures(latencies, lengths);
    sums.insert(sums.end(), mixtures_.begin(), mixtures_.end());
    remaining_ = std::make_unique<CostToGo>(problem.space, problem.fit, boundaries_);
    const CapacityBranch all(problem.space, problem.fit);
    joint_ = std::make_unique<JointCostToGo>(problem.space, problem.fit, all, boundaries_, std::move(sums));
  }

  double latency() const { return latency_; }

  /// With so many loops placed; with and without mixtures.
  std::pair<double, double> bounds(int placed) const {
    const std::size_t multiset = multiset_of(placed);
    std::array<std::uint8_t, max_operands> closed{};
    FillClasses first{};
    std::array<double, max_label_numbers> sums{};
    const std::vector<double> paid = paid_after(placed, closed, first);
    std::copy(paid.begin(), paid.end(), sums.begin());
    for (int operand = 0; operand < problem_.space.operands(); ++operand) {
      const double* rest = remaining_->of(operand, closed[operand], multiset);
      for (std::size_t component = 0; component < paid.size(); ++component)
        sums[component] += rest[component];
    }
    std::array<double, max_sums> joint{};
    const std::vector<WeightedSum>& weighed = joint_->sums();
    for (std::size_t i = 0; i < weighed.size(); ++i)
      joint[i] = weighed[i].of(paid.data()) + joint_->of(closed, multiset)[i];
    LatencyObjective objective(costs_, loading_, most_stalls_, Objective::latency, true);
    objective.use_lagrangian(weighed);
    const double with = objective.of(sums.data(), first, joint.data());
    const std::vector<WeightedSum> single(weighed.begin(),
                                          weighed.end() - static_cast<std::ptrdiff_t>(mixtures_.size()));
    objective.use_lagrangian(single);
    return {objective.of(sums.data(), first, joint.data()), with};
  }

 private:
  std::size_t multiset_of(int placed) const {
    const ExponentLattice& lattice = problem_.space.lattice();
    std::size_t multiset = 0;
    for (int loop = 0; loop < placed; ++loop) {
      for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
        if (lattice.kinds()[kind].dimension == sample_.mapping.dimension[loop] &&
            lattice.kinds()[kind].size == sample_.mapping.size[loop])
          multiset += lattice.stride(kind);
      }
    }
    return multiset;
  }

  std::vector<double> paid_after(int placed, std::array<std::uint8_t, max_operands>& closed,
                                 FillClasses& first) const {
    const CostTables& tables = problem_.tables;
    const BoundaryCosts use(tables, problem_.given.options, sample_.mapping);
    const ExponentLattice& lattice = problem_.space.lattice();
    std::vector<double> sums = boundaries_.constant;
    for (int operand = 0; operand < problem_.space.operands(); ++operand) {
      const auto add = [&](int boundary, std::size_t multiset) {
        for (std::size_t component = 0; component < sums.size(); ++component)
          sums[component] += boundaries_.at(operand, boundary, multiset)[component];
      };
      const auto& unchanged = sample_.unchanged[operand];
      if (unchanged && lattice.placed(*unchanged) < placed) add(0, *unchanged);
      for (int boundary = 1; boundary <= sample_.residency[operand]; ++boundary) {
        const std::size_t multiset = sample_.below[operand][boundary];
        if (lattice.placed(multiset) >= placed) break;
        closed[operand] = static_cast<std::uint8_t>(boundary);
        add(boundary, multiset);
        if (!use.double_buffered(operand, boundary) && sample_.kept[operand][boundary] > 1)
          costs_.add(operand, boundary, multiset, holds_sums(problem_, sample_, operand, boundary),
                     sample_.kept[operand][boundary], sums.data());
        if (boundary == 1) first[operand] = costs_.once().fill_class(operand, multiset);
      }
    }
    return sums;
  }

  const SearchProblem& problem_;
  const LatencyCosts& costs_;
  const SampledMapping& sample_;
  LabelCosts boundaries_;
  double latency_ = 0;
  double most_stalls_ = 0;
  std::shared_ptr<const ResidencyLoading> loading_;
  std::vector<WeightedSum> mixtures_;
  std::unique_ptr<CostToGo> remaining_;
  std::unique_ptr<JointCostToGo> joint_;
};

}  // namespace

TEST_CASE("optimum: no joint bound is above the latency of a mapping that it leads to") {
  int looked_at = 0;
  int raised = 0;
  for (std::uint32_t seed = 0; seed < 240; ++seed) {
    CAPTURE(seed);
    const SearchProblem problem(problem_with_uneven_ports(seed, seed % 2 != 0));
    CAPTURE(problem.given.options.rules.loading_below_minimum);
    const PortLoads loads(problem);
    const LatencyCosts costs(problem, loads, nullptr);
    std::mt19937 random(seed);
    for (int i = 0; i < 6; ++i) {
      CAPTURE(i);
      const auto sample = random_mapping(problem, random);
      if (!sample) continue;
      const OnTheWay way(problem, costs, loads, *sample, random);
      if (!std::isfinite(way.latency())) continue;
      ++looked_at;
      bool tighter = false;
      for (int placed = 0; placed <= sample->mapping.loops; ++placed) {
        const auto [apart, mixed] = way.bounds(placed);
        CHECK(apart <= mixed);
        CHECK(mixed <= way.latency() * (1 + 1e-9));
        tighter = tighter || mixed > apart * (1 + 1e-9);
      }
      if (tighter) ++raised;
    }
  }
  CHECK(looked_at > 200);
  CHECK(raised > 2);
}
