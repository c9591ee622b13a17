#include "core/search/optimal/detail/lagrangian_bound.hpp"

#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <vector>

using namespace zz::core;

namespace {

/// The least value over many points of the region, among them all corners of a fine grid's columns.
double least_of_columns(const std::vector<LagrangianLine>& lines, const Goal& goal, double energy,
                        double latency, double step) {
  double least = std::numeric_limits<double>::infinity();
  for (double at = energy; at < 60; at += step) {
    double lowest = latency;
    for (const LagrangianLine& line : lines) lowest = std::max(lowest, line.latency_at(at));
    least = std::min(least, goal.of(at, lowest));
  }
  return least;
}

}  // namespace

TEST_CASE("lagrangian bound: the least value of all points above the lines") {
  std::mt19937 random(7);
  const auto pick = [&](double least, double most) {
    return least + (most - least) * static_cast<double>(random() % 1000) / 1000;
  };
  int cut = 0;
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    std::vector<LagrangianLine> lines;
    for (int count = static_cast<int>(random() % 5); count-- > 0;)
      lines.push_back({pick(0.1, 4), pick(0, 3), pick(5, 25)});
    const double energy = pick(1, 10);
    const double latency = pick(1, 10);
    Goal product = Objective::edp;
    Goal least_latency = Objective::latency;
    least_latency.most_energy = energy + pick(0, 10);
    Goal least_energy = Objective::energy;
    least_energy.most_latency = latency + pick(0, 10);
    for (const Goal& goal : {product, least_latency, least_energy}) {
      CAPTURE(static_cast<int>(goal.objective));
      constexpr double step = 1.0 / 256;
      const double bound = least_above(lines, goal, energy, latency);
      const double sampled = least_of_columns(lines, goal, energy, latency, step);
      CHECK(bound <= sampled * (1 + 1e-9));
      // A column may miss a corner by a step, along which the steepest line falls by ten times as much.
      CHECK(bound >= sampled - 60 * 11 * step);
      if (bound > goal.of(energy, latency) * (1 + 1e-9)) ++cut;
    }
  }
  CHECK(cut > 100);
}

TEST_CASE("lagrangian bound: what one line rules out is impossible") {
  const std::array<LagrangianLine, 1> lines = {{{1, 0, std::numeric_limits<double>::infinity()}}};
  CHECK(least_above(lines, Objective::edp, 1, 1) == std::numeric_limits<double>::infinity());
}

TEST_CASE("lagrangian bound: sums of one component raise it, sums of two make lines") {
  const std::vector<LatencyComponent> latencies = {{3, 100}};
  const std::vector<WeightedSum> sums = LagrangianBound::sums(latencies, true, {2});
  REQUIRE(sums.size() == 3);
  const std::array<double, 4> costs = {10, 0, 0, 5};
  CHECK(sums[0].of(costs.data()) == 10);
  CHECK(sums[1].of(costs.data()) == 5);
  CHECK(sums[2].of(costs.data()) == 20);
  const LagrangianBound bounds(sums, latencies);
  const std::array<double, 3> joint = {12, 4, 60};
  std::array<double, 4> components = costs;
  bounds.raise(components.data(), joint.data());
  CHECK(components[0] == 12);
  CHECK(components[3] == 5);
  // At least 12 pJ, 105 cycles, and energy + 2 * (latency - 100) >= 60: least at 12 pJ, 124 cycles.
  CHECK(bounds.least(Objective::edp, 12, 105, joint.data()) == doctest::Approx(12 * 124));
}
