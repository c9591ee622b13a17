#include "core/multicore/bound/partition_bound.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/multicore/bound/menu_bound.hpp"
#include "core/multicore/graph/samples.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/multicore/search/schedule_search.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/schedules.hpp"
#include "tests/unit/worlds/searches.hpp"
#include "tests/unit/worlds/tiny_networks.hpp"

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

/// A partition with what its cuts cost, each asked by itself; null: some layer runs on no core.
std::shared_ptr<const core::ScheduleProblem> priced_problem(
    core::PartitionGraphs& graphs, const core::Partition& partition, core::CutPrices& prices,
    const std::shared_ptr<const core::MultiCoreAccelerator>& accelerator, int samples) {
  const auto graph = graphs.graph(partition, samples);
  const std::vector<core::OperandBits> needs = core::capacity_needs(*graph, core::Rules{});
  auto costs = std::make_shared<core::CoreCosts>();
  for (int layer = 0; layer < static_cast<int>(partition.size()); ++layer) {
    const core::CutKey key{layer, graphs.cut_of_nodes(layer, partition[layer]), needs[layer]};
    if (!prices.find(key))
      prices.ask({key}, {core::node_pieces(graphs.node_samples(layer, key.cut)->layers.front())});
    const core::CoreCosts::OfLayer& row = *prices.find(key)->costs;
    if (row.on.empty()) return nullptr;
    costs->layers.push_back(
        core::with_all_cores(row, core::cores_with_costs(*graphs.layers()[layer], prices.kinds(), row)));
  }
  return std::make_shared<const core::ScheduleProblem>(accelerator, graph, costs, core::ScheduleOptions{});
}

/// The shortest schedule of all partitions with at most 64 allocations.
double shortest_of(core::PartitionGraphs& graphs,
                   const std::shared_ptr<const core::MultiCoreAccelerator>& accelerator, int samples) {
  core::CutPrices prices(accelerator, test::default_answers());
  core::Partition partition(graphs.cuts().size(), 0);
  for (double best = never;;) {
    if (const auto problem = priced_problem(graphs, partition, prices, accelerator, samples)) {
      double allocations = 1;
      for (const core::Gene& gene : problem->genes()) allocations *= static_cast<double>(gene.cores.size());
      core::Scheduler scheduler(problem);
      if (allocations <= 64)
        test::for_each_choice(*problem, [&](const core::ScheduleChoice& choice) {
          const core::ScheduleFigures figures = scheduler.evaluate(choice);
          if (figures.feasible) best = std::min(best, figures.latency);
        });
    }
    std::size_t layer = 0;
    while (layer < partition.size() && ++partition[layer] == static_cast<int>(graphs.cuts()[layer].size()))
      partition[layer++] = 0;
    if (layer == partition.size()) return best;
  }
}

/// Cuts of rows, of channels in two and of both, some of them spread or in lockstep.
core::CutMenu cuts_of_kind(const core::Layer& layer, test::TinyKind kind) {
  core::CutMenuOptions options;
  const std::string rows = layer.loop_index("D") >= 0 ? "D" : "OY";
  options.dimensions = {rows, "K"};
  if (layer.type != "add") options.dimensions.push_back("C");
  options.most_pieces = 4;
  core::CutMenu menu = core::cut_menu(layer, options);
  const bool spread = kind == test::TinyKind::spread || kind == test::TinyKind::chain;
  std::erase_if(menu, [&](const core::Cut& cut) {
    return std::any_of(cut.begin(), cut.end(), [&](const core::CutLoop& loop) {
      return (loop.dimension == "K" && loop.count.value_or(0) > 2) || (loop.spread && !spread);
    });
  });
  if (kind == test::TinyKind::spread && layer.type != "add" && layer.loop_size(rows) > 1)
    menu.push_back({{rows, 2, true, true}});
  const core::CutMenu of_one_sample = menu;
  if (kind == test::TinyKind::samples)
    for (core::Cut cut : of_one_sample) {
      if (cut.size() > 1) continue;
      cut.push_back({core::samples_loop, 1});
      menu.push_back(cut);
    }
  return menu;
}

/// Networks of so many layers at most, with so many combinations of cuts.
void compare_all_kinds(int networks_of_a_kind, int layers, double least, double most, std::uint64_t seed) {
  std::vector<double> gaps, gaps_of_menus;
  for (const test::TinyKind kind : test::all_tiny_kinds) {
    core::RandomNumbers random(seed, static_cast<std::uint64_t>(kind));
    for (int made = 0; made < networks_of_a_kind;) {
      const test::TinyNetwork network(kind, random, layers);
      const core::Workload workload = network.workload();
      const auto accelerator = std::make_shared<const core::MultiCoreAccelerator>(network.accelerator());
      core::CutMenus menus;
      double count = 1;
      for (const auto& layer : core::layers_by_id(workload)) {
        menus.push_back(cuts_of_kind(*layer, kind));
        count *= static_cast<double>(menus.back().size());
      }
      if (count < least || count > most) continue;
      CAPTURE(static_cast<int>(kind));
      CAPTURE(made);
      ++made;
      core::PartitionGraphs graphs(workload, accelerator, menus, network.samples());
      const double best = shortest_of(graphs, accelerator, network.samples());
      core::CutPrices prices(accelerator, test::default_answers());
      core::price_menus(graphs, prices, test::on_threads(1));
      const double of_menus =
          core::menu_bounds(workload, *accelerator, core::priced_menus(graphs, prices), network.samples())
              .latency.value;
      const auto with_steps = [&](std::int64_t steps) {
        return core::least_latency_of_partitions(workload, graphs, prices, accelerator, of_menus, best,
                                                 steps, network.samples());
      };
      const double bound = std::max(of_menus, with_steps(200'000'000));
      CHECK(bound <= best);
      CHECK(with_steps(100'000) <= bound);
      gaps.push_back(best / bound - 1);
      gaps_of_menus.push_back(best / of_menus - 1);
    }
  }
  std::sort(gaps.begin(), gaps.end());
  std::sort(gaps_of_menus.begin(), gaps_of_menus.end());
  MESSAGE(gaps.size(), " networks; gap: median ", gaps[gaps.size() / 2], ", of nine tenths ",
          gaps[gaps.size() * 9 / 10], ", largest ", gaps.back(), "; of the menus: median ",
          gaps_of_menus[gaps.size() / 2]);
  CHECK(gaps[gaps.size() / 2] < 0.05);
}

}  // namespace

TEST_CASE("bound of few partitions: no schedule of a tiny network is shorter, most are hardly longer") {
  compare_tiny(12, 1);
}

TEST_CASE("bound of few partitions: a hundred tiny networks" * doctest::skip()) { compare_tiny(100, 2); }

TEST_CASE("bound of partitions: no schedule is below, with samples, lockstep and shared memories") {
  compare_all_kinds(1, 3, 20, 250, 1);
}

TEST_CASE("bound of partitions: of more than a thousand combinations of cuts none is below" *
          doctest::skip()) {
  compare_all_kinds(6, 4, 1025, 6000, 2);
}
