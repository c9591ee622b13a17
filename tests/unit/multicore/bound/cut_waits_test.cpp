#include "core/multicore/bound/detail/cut_waits.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <vector>

#include "core/multicore/bound/detail/least_cycles.hpp"
#include "core/multicore/bound/menu_bound.hpp"
#include "core/multicore/bound/schedule_bound.hpp"
#include "core/multicore/graph/samples.hpp"
#include "core/multicore/graph/split.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "tests/unit/worlds/schedules.hpp"
#include "tests/unit/worlds/searches.hpp"
#include "tests/unit/worlds/thorough.hpp"
#include "tests/unit/worlds/tiny_networks.hpp"

using namespace zz;

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

std::shared_ptr<const core::ScheduleProblem> problem_of(const test::PartitionSpace& space,
                                                        const std::vector<int>& partition, int samples) {
  core::SplitOptions options;
  options.mode = core::split_by_layer;
  options.samples = samples;
  auto costs = std::make_shared<core::CoreCosts>();
  for (std::size_t layer = 0; layer < space.menu.size(); ++layer) {
    const core::PricedCut& cut = space.menu[layer][partition[layer]];
    options.cut_entries.push_back({{static_cast<std::int64_t>(layer)}, cut.loops});
    costs->layers.push_back(*cut.costs);
  }
  std::vector<std::string> warnings;
  return std::make_shared<const core::ScheduleProblem>(
      space.accelerator,
      std::make_shared<const core::ComputationNodeGraph>(
          core::split_into_nodes(space.workload, *space.accelerator, options, warnings)),
      costs, core::ScheduleOptions{});
}

/// The least of every schedule over all cuts, allocations, dispatch rules and gaps.
struct Least {
  double latency = unbounded, energy = unbounded, edp = unbounded;
};

Least least_of(const test::PartitionSpace& space, int samples) {
  Least least;
  std::vector<int> partition(space.menu.size(), 0);
  for (;;) {
    const auto problem = problem_of(space, partition, samples);
    double allocations = 1, of_cuts = unbounded;
    for (const core::Gene& gene : problem->genes()) allocations *= static_cast<double>(gene.cores.size());
    core::Scheduler scheduler(problem);
    if (allocations <= 256) {
      test::for_each_choice(*problem, [&](const core::ScheduleChoice& choice) {
        const core::ScheduleFigures figures = scheduler.evaluate(choice);
        if (!figures.feasible) return;
        of_cuts = std::min(of_cuts, figures.latency);
        least.energy = std::min(least.energy, figures.energy);
        least.edp = std::min(least.edp, figures.energy * figures.latency);
      });
      CHECK(core::schedule_bound(*problem, 16) <= of_cuts);
      CHECK(core::schedule_bound(*problem, 0) <= of_cuts);
      least.latency = std::min(least.latency, of_cuts);
    }
    std::size_t layer = 0;
    while (layer < partition.size() && ++partition[layer] == static_cast<int>(space.menu[layer].size()))
      partition[layer++] = 0;
    if (layer == partition.size()) return least;
  }
}

void compare_kinds(int networks_of_a_kind, std::uint64_t seed) {
  int by_waits = 0;
  for (const test::TinyKind kind : test::all_tiny_kinds) {
    core::RandomNumbers random(seed, static_cast<std::uint64_t>(kind));
    std::vector<double> gaps;
    for (int i = 0; i < networks_of_a_kind; ++i) {
      CAPTURE(static_cast<int>(kind));
      CAPTURE(i);
      test::TinyNetwork network(kind, random);
      const test::PartitionSpace space(
          network.workload(), network.accelerator(),
          [&](const core::Layer& layer) { return network.cuts(layer, 2); }, 4);
      const Least least = least_of(space, network.samples());
      if (!(least.latency < unbounded)) continue;
      const core::MenuBounds bounds =
          core::menu_bounds(space.workload, *space.accelerator, space.menu, network.samples());
      CHECK(bounds.latency.value <= least.latency);
      CHECK(bounds.energy.value <= least.energy);
      CHECK(bounds.edp.value <= least.edp);
      by_waits += bounds.latency.limit == "waits" ? 1 : 0;
      gaps.push_back(least.latency / bounds.latency.value - 1);
    }
    REQUIRE_FALSE(gaps.empty());
    std::sort(gaps.begin(), gaps.end());
    MESSAGE("kind ", static_cast<int>(kind), ": ", gaps.size(), " networks; gap: median ",
            gaps[gaps.size() / 2], ", of nine tenths ", gaps[gaps.size() * 9 / 10], ", largest ",
            gaps.back());
  }
  MESSAGE(by_waits, " are limited by waits");
  CHECK(by_waits > 0);
}

}  // namespace

TEST_CASE("waits of cuts: no schedule of a tiny network is below, whatever its cuts") {
  compare_kinds(test::daily(2, 6), 1);
}

TEST_CASE("waits of cuts: no schedule of five hundred tiny networks is below" * doctest::skip()) {
  compare_kinds(100, 2);
}

TEST_CASE("waits of cuts: whole groups run on one core each") {
  CHECK(core::cycles_of_groups(0, {{5, 1}}) == 0);
  CHECK(core::cycles_of_groups(1, {{5, 1}, {30, 1}}) == 5);
  CHECK(core::cycles_of_groups(2, {{5, 1}, {30, 1}}) == 10);
  CHECK(core::cycles_of_groups(7, {{5, 1}, {30, 1}}) == 30);
  CHECK(core::cycles_of_groups(3, {{5, 2}}) == 10);
  CHECK(core::cycles_of_groups(4, {{3, 1}, {4, 1}}) == 8);
}
