#include <algorithm>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/multicore/schedule/scheduler.hpp"
#include "core/multicore/search/schedule_search.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/searches.hpp"

using namespace zz;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// An accelerator of configs/accelerators, and which of its cores run what.
struct Cores {
  std::string name;
  std::vector<std::int64_t> products;
  std::int64_t simd = 0;
};

/// Two or three products or filters in a row, the last one perhaps with the sum of two before it, or beside
/// the one before it.
core::Workload tiny_network(core::RandomNumbers& random, const Cores& cores) {
  test::NetworkBuilder network;
  const auto size = [&](std::initializer_list<std::int64_t> sizes) {
    return *(sizes.begin() + random.below(static_cast<int>(sizes.size())));
  };
  const auto add = [&](core::Layer layer) {
    layer.mapping.core_allocation =
        layer.type == "add" ? std::vector<std::int64_t>{cores.simd} : cores.products;
    if (layer.operands[2].sources == std::vector<std::int64_t>{-1}) {
      layer.operands[2].sources.clear();
      layer.operands[2].constant = true;
      layer.source_order = {2, 1};
    }
    network.add(std::move(layer));
  };
  const int layers = 2 + random.below(2);
  if (random.below(2) == 0) {
    const std::int64_t rows = size({2, 4});
    std::int64_t columns = size({8, 16, 32}), first = 0;
    for (int id = 0; id < layers; ++id) {
      const std::int64_t next = size({8, 16, 64});
      const bool beside = id == 2 && random.below(3) == 0;
      add(test::gemm_layer(id, rows, beside ? first : columns, next, beside ? 0 : id - 1));
      if (id == 0) first = next;
      columns = next;
    }
    return network.workload();
  }
  const std::int64_t rows = size({2, 3, 4});
  const std::int64_t channels = size({8, 16});
  const bool residual = layers == 3 && random.below(2) == 0;
  for (int id = 0; id < layers - (residual ? 1 : 0); ++id)
    add(test::conv_layer(id,
                         {.k = channels,
                          .c = channels,
                          .oy = rows,
                          .ox = 4,
                          .fy = 3,
                          .fx = 1,
                          .padding = 1,
                          .iy = rows,
                          .ix = 4},
                         id - 1));
  if (residual) add(test::add_layer(2, 1, channels, rows, 4, 0, 1));
  return network.workload();
}

core::ScheduleSearchOptions few_cuts(const core::Workload& workload) {
  core::ScheduleSearchOptions options;
  options.evaluation_limit = 300;
  options.dimensions = {workload.layers.front()->loop_index("D") >= 0 ? "D" : "OY"};
  return options;
}

/// The shortest schedule over all cuts of the menus, allocations, dispatch rules and gaps.
double shortest_of(const test::PartitionSpace& space) {
  std::vector<int> partition(space.menu.size(), 0);
  double best = never;
  for (;;) {
    const auto problem = space.problem(partition);
    core::Scheduler scheduler(problem);
    const std::vector<core::Gene>& genes = problem->genes();
    std::vector<std::size_t> at(genes.size(), 0);
    for (bool more = true; more;) {
      core::ScheduleChoice choice;
      for (std::size_t gene = 0; gene < genes.size(); ++gene)
        choice.cores.push_back(genes[gene].cores[at[gene]]);
      for (int order = 0; order < 6; ++order) {
        choice.dispatch = static_cast<core::DispatchRule>(order / 2);
        choice.back_filling = order % 2 == 1;
        const core::ScheduleFigures figures = scheduler.evaluate(choice);
        if (figures.feasible) best = std::min(best, figures.latency);
      }
      more = false;
      for (std::size_t gene = 0; gene < genes.size() && !more; ++gene) {
        more = ++at[gene] < genes[gene].cores.size();
        if (!more) at[gene] = 0;
      }
    }
    std::size_t layer = 0;
    while (layer < partition.size() && ++partition[layer] == static_cast<int>(space.menu[layer].size()))
      partition[layer++] = 0;
    if (layer == partition.size()) return best;
  }
}

void compare_tiny(int networks, std::uint64_t seed) {
  const std::vector<Cores> all_cores = {{"heterogeneous_dual_core", {0, 1}, 2},
                                        {"shared_buffer_dual_core", {0, 1}, 2},
                                        {"systolic_quad_core", {0, 3}, 5}};
  core::RandomNumbers random(seed, 0);
  std::vector<double> gaps;
  for (int i = 0; i < networks; ++i) {
    CAPTURE(i);
    const Cores& cores = all_cores[i % 3];
    const test::PartitionSpace space(
        tiny_network(random, cores),
        test::accelerator_of(ZZ_SOURCE_DIR "/configs/accelerators/" + cores.name + ".yaml"),
        [](const core::Layer& layer) {
          core::CutMenuOptions options;
          for (const core::LoopDimension& loop : layer.loops)
            if (loop.name == "D" || loop.name == "OY") options.dimensions.push_back(loop.name);
          return core::cut_menu(layer, options);
        },
        4);
    const double best = shortest_of(space);
    const core::ScheduleSearchResult found =
        core::search_schedules(space.workload, space.accelerator, few_cuts(space.workload),
                               test::default_answers(), test::on_threads(1));
    CHECK(found.bounds.latency.value <= best);
    CHECK(found.bounds.latency.value * found.bounds.energy.value <= found.bounds.edp.value * (1 + 1e-12));
    gaps.push_back(best / found.bounds.latency.value - 1);
  }
  std::sort(gaps.begin(), gaps.end());
  MESSAGE(gaps.size(), " networks; gap: median ", gaps[gaps.size() / 2], ", of nine tenths ",
          gaps[gaps.size() * 9 / 10], ", largest ", gaps.back());
  CHECK(gaps[gaps.size() / 2] < 0.1);
}

}  // namespace

TEST_CASE("bound of few partitions: no schedule of a tiny network is shorter, most are hardly longer") {
  compare_tiny(12, 1);
}

TEST_CASE("bound of few partitions: a hundred tiny networks" * doctest::skip()) { compare_tiny(100, 2); }
