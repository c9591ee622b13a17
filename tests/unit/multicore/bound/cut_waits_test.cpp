#include "core/multicore/bound/detail/cut_waits.hpp"

#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/multicore/bound/detail/least_cycles.hpp"
#include "core/multicore/bound/menu_bound.hpp"
#include "core/multicore/bound/schedule_bound.hpp"
#include "core/multicore/graph/samples.hpp"
#include "core/multicore/graph/split.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/schedules.hpp"
#include "tests/unit/worlds/searches.hpp"

using namespace zz;

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

enum class Kind { chain, two_readers, spread, shared_memories, samples };
constexpr std::array all_kinds{Kind::chain, Kind::two_readers, Kind::spread, Kind::shared_memories,
                               Kind::samples};

class TinyNetwork {
 public:
  TinyNetwork(Kind kind, core::RandomNumbers& random) : kind_(kind), random_(random) {
    const bool on_four = kind != Kind::shared_memories && below(2) == 1;
    name_ = kind == Kind::shared_memories ? "shared_buffer_dual_core"
            : on_four                     ? "systolic_quad_core"
                                          : "heterogeneous_dual_core";
    products_ = on_four ? std::vector<std::int64_t>{0, 3} : std::vector<std::int64_t>{0, 1};
    simd_ = on_four ? 5 : 2;
    samples_ = kind == Kind::samples ? 2 + below(2) : 1;
    below(2) == 0 ? products() : filters();
  }

  test::PartitionSpace space() {
    return {network_.workload(),
            test::accelerator_of(ZZ_SOURCE_DIR "/configs/accelerators/" + name_ + ".yaml"),
            [this](const core::Layer& layer) { return cuts(layer); }, 4};
  }

  int samples() const { return samples_; }

 private:
  int below(int count) { return random_.below(count); }
  std::int64_t one_of(const std::vector<std::int64_t>& sizes) {
    return sizes[below(static_cast<int>(sizes.size()))];
  }

  void add(core::Layer layer) {
    layer.mapping.core_allocation = layer.type == "add" ? std::vector<std::int64_t>{simd_} : products_;
    if (layer.operands[2].sources == std::vector<std::int64_t>{-1}) {
      layer.operands[2].sources.clear();
      layer.operands[2].constant = true;
      layer.source_order = {2, 1};
    }
    network_.add(std::move(layer));
  }

  /// Two or three in a row, or two that read the first one.
  void products() {
    const std::int64_t rows = one_of({2, 3, 4});
    std::int64_t columns = one_of({8, 16, 32}), first = 0;
    const int layers = kind_ == Kind::two_readers ? 3 : 2 + below(2);
    for (int id = 0; id < layers; ++id) {
      const std::int64_t next = one_of({6, 8, 16, 64});
      const bool beside = id == 2 && kind_ == Kind::two_readers;
      add(test::gemm_layer(id, rows, beside ? first : columns, next, beside ? 0 : id - 1));
      if (id == 0) first = next;
      columns = next;
    }
  }

  /// Filters with strides and padding, or two with the sum of both.
  void filters() {
    std::int64_t rows = one_of({4, 6, 7});
    const std::int64_t channels = one_of({8, 16});
    const bool sum = kind_ == Kind::two_readers;
    const int filters = 2 + (sum ? 0 : below(2));
    for (int id = 0; id < filters; ++id) {
      const std::int64_t filter = one_of({1, 3}), padding = filter / 2,
                         stride = sum ? 1 : one_of({1, 1, 2});
      const std::int64_t out = (rows + 2 * padding - filter) / stride + 1;
      core::Layer layer = test::conv_layer(id,
                                           {.k = channels,
                                            .c = channels,
                                            .oy = out,
                                            .ox = 4,
                                            .fy = filter,
                                            .fx = 1,
                                            .stride = stride,
                                            .padding = padding,
                                            .iy = rows,
                                            .ix = stride == 1 ? 4 : 8},
                                           id - 1);
      // Strides are for rows alone.
      for (core::DimensionRelation& relation : layer.relations)
        if (relation.data == "IX") {
          relation.stride = 1;
          relation.size = 4;
          relation.padding_low = relation.padding_high = 0;
        }
      add(std::move(layer));
      rows = out;
    }
    if (sum) add(test::add_layer(2, 1, channels, rows, 4, 0, 1));
  }

  /// The whole layer and two or three cuts of it.
  std::vector<core::Cut> cuts(const core::Layer& layer) {
    const bool product = layer.loop_index("D") >= 0;
    const std::string rows = product ? "D" : "OY";
    std::vector<core::Cut> all{
        {{rows, 2}}, {{rows, {}}}, {{"K", 2}}, {{"K", 2}, {rows, 2}}, {{rows, 2}, {"K", 2}}};
    if (layer.type != "add") {
      all.push_back({{"C", 2}});
      all.push_back({{rows, 2}, {"C", 2}});
    }
    if (kind_ == Kind::spread && layer.type != "add") {
      all = {{{rows, 2, true}}, {{rows, {}, true}}, {{"K", 2}, {rows, 2, true}}};
      if (layer.loops[layer.loop_index(rows)].size > 1) {
        all.push_back({{rows, 2, true, true}});
        all.push_back({{"K", 2}, {rows, 2, true, true}});
      }
    }
    std::vector<core::Cut> chosen{{}};
    for (int i = 0; i < 2 + below(2); ++i) chosen.push_back(all[below(static_cast<int>(all.size()))]);
    return chosen;
  }

  Kind kind_;
  core::RandomNumbers& random_;
  std::string name_;
  std::vector<std::int64_t> products_;
  std::int64_t simd_ = 0;
  int samples_ = 1;
  test::NetworkBuilder network_;
};

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
  constexpr double rounding = 1e-12;  // of sums in another order
  int by_waits = 0;
  for (const Kind kind : all_kinds) {
    core::RandomNumbers random(seed, static_cast<std::uint64_t>(kind));
    std::vector<double> gaps;
    for (int i = 0; i < networks_of_a_kind; ++i) {
      CAPTURE(static_cast<int>(kind));
      CAPTURE(i);
      TinyNetwork network(kind, random);
      const test::PartitionSpace space = network.space();
      const Least least = least_of(space, network.samples());
      if (!(least.latency < unbounded)) continue;
      const core::MenuBounds bounds =
          core::menu_bounds(space.workload, *space.accelerator, space.menu, network.samples());
      CHECK(bounds.latency.value <= least.latency);
      CHECK(bounds.energy.value * (1 - rounding) <= least.energy);
      CHECK(bounds.edp.value * (1 - rounding) <= least.edp);
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
  compare_kinds(6, 1);
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
