#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <random>
#include <vector>

#include "core/cost/data_footprint.hpp"
#include "core/cost/loop_cycles.hpp"
#include "core/cost/memory_use.hpp"
#include "core/search/optimal/latency_figure.hpp"
#include "core/search/optimal/remaining_cost.hpp"
#include "core/search/optimal/rooms.hpp"
#include "tests/unit/search/optimal/random_mapping.hpp"
#include "tests/unit/search/optimal/random_problems.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// What a search with bounds in one order would know of a mapping on its way there.
class OnTheWay {
 public:
  OnTheWay(const SearchProblem& problem, const LatencyCosts& costs, const PortLoads& loads,
           const SampledMapping& sample, std::mt19937& random)
      : problem_(problem), costs_(costs), sample_(sample), links_(costs.costs(sample.ending)) {
    const Score score = problem.model.score(sample.mapping);
    latency_ = score.latency_total2;
    stalls_ = {0, 2 * (score.latency_total0 - loads.computation) + 100};
    loading_ = std::make_shared<const LoadingAtEnding>(costs.loading(sample.ending));
    loading_->decide(hiding_, {}, stalls_.least, stalls_.most);
    const auto latencies = costs.latency_of_families(*loading_, stalls_, hiding_);
    std::vector<WeighedFamilies> sums = EnergyAgainstLatency::sums(latencies, false);
    // Any families may turn out to be those that a search mixes.
    std::vector<double> lengths(static_cast<std::size_t>(links_.families));
    for (double& length : lengths) length = static_cast<double>(random() % 1000);
    mixtures_ = EnergyAgainstLatency::mixtures(latencies, lengths);
    sums.insert(sums.end(), mixtures_.begin(), mixtures_.end());
    remaining_ = std::make_unique<RemainingCost>(problem.space, problem.fit, links_);
    const Rooms all(problem.space, problem.fit);
    in_one_order_ =
        std::make_unique<RemainingInOneOrder>(problem.space, problem.fit, all, links_, std::move(sums));
  }

  double latency() const { return latency_; }

  /// With so many loops placed; with and without mixtures.
  std::pair<double, double> bounds(int placed) const {
    const std::size_t vector = vector_of(placed);
    std::array<std::uint8_t, max_operands> closed{};
    FirstClasses first{};
    std::array<double, LabelSearch::most_numbers> sums{};
    const std::vector<double> paid = paid_after(placed, closed, first);
    std::copy(paid.begin(), paid.end(), sums.begin());
    for (int operand = 0; operand < problem_.space.operands(); ++operand) {
      const double* rest = remaining_->of(operand, closed[operand], vector);
      for (std::size_t family = 0; family < paid.size(); ++family) sums[family] += rest[family];
    }
    std::array<double, most_sums> in_one_order{};
    const std::vector<WeighedFamilies>& weighed = in_one_order_->sums();
    for (std::size_t i = 0; i < weighed.size(); ++i)
      in_one_order[i] = weighed[i].of(paid.data()) + in_one_order_->of(closed, vector)[i];
    LatencyFigure figure(costs_, loading_, stalls_, hiding_, Objective::latency, true);
    figure.exchange(weighed);
    const double with = figure.of(sums.data(), first, in_one_order.data());
    const std::vector<WeighedFamilies> single(
        weighed.begin(), weighed.end() - static_cast<std::ptrdiff_t>(mixtures_.size()));
    figure.exchange(single);
    return {figure.of(sums.data(), first, in_one_order.data()), with};
  }

 private:
  std::size_t vector_of(int placed) const {
    const ExponentLattice& lattice = problem_.space.lattice();
    std::size_t vector = 0;
    for (int loop = 0; loop < placed; ++loop) {
      for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
        if (lattice.kinds()[kind].dimension == sample_.mapping.dimension[loop] &&
            lattice.kinds()[kind].size == sample_.mapping.size[loop])
          vector += lattice.stride(kind);
      }
    }
    return vector;
  }

  std::vector<double> paid_after(int placed, std::array<std::uint8_t, max_operands>& closed,
                                 FirstClasses& first) const {
    const CostTables& tables = problem_.tables;
    const LoopCycles cycles(tables, sample_.mapping, problem_.given.options.same_data_free);
    const MemoryUse use(tables, DataFootprint(tables, tables.fractional, sample_.mapping, cycles));
    const ExponentLattice& lattice = problem_.space.lattice();
    std::vector<double> sums = links_.constant;
    for (int operand = 0; operand < problem_.space.operands(); ++operand) {
      const auto add = [&](int link, std::size_t vector) {
        for (std::size_t family = 0; family < sums.size(); ++family)
          sums[family] += links_.at(operand, link, vector)[family];
      };
      const auto& unchanged = sample_.unchanged[operand];
      if (unchanged && lattice.placed(*unchanged) < placed) add(0, *unchanged);
      for (int link = 1; link <= sample_.ending[operand]; ++link) {
        const std::size_t vector = sample_.below[operand][link];
        if (lattice.placed(vector) >= placed) break;
        closed[operand] = static_cast<std::uint8_t>(link);
        add(link, vector);
        if (!use.double_buffered[operand][link] && sample_.run[operand][link] > 1)
          costs_.add(operand, link, vector, sample_.run[operand][link], sums.data());
        if (link == 1) first[operand] = costs_.once().first_class(operand, vector);
      }
    }
    return sums;
  }

  const SearchProblem& problem_;
  const LatencyCosts& costs_;
  const SampledMapping& sample_;
  LinkCosts links_;
  double latency_ = 0;
  StallRange stalls_;
  std::shared_ptr<const LoadingAtEnding> loading_;
  HidingAtPorts hiding_;
  std::vector<WeighedFamilies> mixtures_;
  std::unique_ptr<RemainingCost> remaining_;
  std::unique_ptr<RemainingInOneOrder> in_one_order_;
};

}  // namespace

TEST_CASE("optimum: no bound in one order is above the latency of a mapping that it leads to") {
  int looked_at = 0;
  int raised = 0;
  for (std::uint32_t seed = 0; seed < 240; ++seed) {
    CAPTURE(seed);
    const SearchProblem problem(problem_with_uneven_ports(seed, seed % 2 != 0));
    CAPTURE(problem.given.options.zigzag_compat);
    const PortLoads loads(problem);
    const LatencyCosts from_below(problem, loads, nullptr);
    const LatencyCosts from_above(problem, loads, nullptr, LatencyCosts::StallsKnown::from_above);
    std::mt19937 random(seed);
    for (int i = 0; i < 6; ++i) {
      CAPTURE(i);
      const auto sample = random_mapping(problem, random);
      if (!sample) continue;
      const OnTheWay way(problem, i % 2 == 0 ? from_below : from_above, loads, *sample, random);
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
