#include "core/multicore/search/detail/core_symmetry.hpp"

#include <algorithm>
#include <doctest/doctest.h>

#include "core/multicore/bound/schedule_bound.hpp"
#include "core/multicore/search/schedule_search.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/schedules.hpp"
#include "tests/unit/worlds/searches.hpp"

using namespace zz::core;
using zz::test::TinySchedule;

namespace {

using Genome = std::vector<int>;

/// The parts of the tiny schedule as a problem; both nodes may run on both cores.
struct Problem : TinySchedule {
  std::shared_ptr<const ScheduleProblem> make() {
    accelerator->derive();
    graph->index();
    return std::make_shared<ScheduleProblem>(accelerator, graph, costs, ScheduleOptions());
  }
};

/// So many cores like those of the tiny schedule, each with a link to every other one of this bandwidth.
std::shared_ptr<const ScheduleProblem> with_cores(int cores, double bandwidth_of_first_pair) {
  Problem parts;
  MultiCoreAccelerator& accelerator = *parts.accelerator;
  const TopMemory sram = accelerator.top_memories[0], dram = accelerator.top_memories[2];
  const auto core = std::make_shared<const Accelerator>(
      zz::test::accelerator_with("", {}, {zz::test::memory(sram.name, sram.size, sram.operands)}));
  accelerator.cores.assign(cores + 1, core);
  accelerator.offchip_core = cores;
  accelerator.links.clear();
  accelerator.connections.clear();
  accelerator.top_memories.clear();
  accelerator.cores_tops.assign(cores + 1, {});
  accelerator.routes.assign((cores + 1) * (cores + 1), {});
  const int offchip_link = 0;
  accelerator.links.push_back({cores, -1, 10, 2, true});
  for (int from = 0; from <= cores; ++from) {
    TopMemory memory = from == cores ? dram : sram;
    memory.cores = {from};
    accelerator.cores_tops[from] = {from};
    accelerator.top_memories.push_back(memory);
    for (int to = 0; to <= cores; ++to) {
      if (from == to) continue;
      int link = offchip_link;
      if (from != cores && to != cores) {
        link = static_cast<int>(accelerator.links.size());
        const bool first = std::max(from, to) == 1;
        accelerator.links.push_back({from, to, first ? bandwidth_of_first_pair : 10, 1, false});
      }
      accelerator.connections.push_back({from, to, link});
      accelerator.routes[from * (cores + 1) + to] = {link};
    }
  }
  for (CoreCosts::OfLayer& layer : parts.costs->layers) {
    CoreCost cost = layer.on.front();
    layer.on.clear();
    for (cost.core = 0; cost.core < cores; ++cost.core) layer.on.push_back(cost);
  }
  parts.graph->index();
  return std::make_shared<ScheduleProblem>(parts.accelerator, parts.graph, parts.costs, ScheduleOptions());
}

}  // namespace

TEST_CASE("symmetry: two equal cores with a link each way") {
  const CoreSymmetry symmetry(*with_cores(2, 10));
  REQUIRE_EQ(symmetry.exchanges().size(), 1);
  CHECK_EQ(symmetry.exchanges()[0], Genome{1, 0, 2});
  CHECK_EQ(symmetry.canonical({1, 0}), Genome{0, 1});
  CHECK_EQ(symmetry.canonical({0, 1}), Genome{0, 1});
  CHECK_EQ(symmetry.canonical({}), Genome{});
}

TEST_CASE("symmetry: one faster pair of links leaves two pairs to exchange") {
  const CoreSymmetry symmetry(*with_cores(4, 20));
  // 0 with 1, 2 with 3, or both.
  CHECK_EQ(symmetry.exchanges().size(), 3);
  CHECK_EQ(symmetry.canonical({1, 3, 0}), Genome{0, 2, 1});
  CHECK_EQ(symmetry.canonical({2, 0}), Genome{2, 0});
}

TEST_CASE("symmetry: other costs on one core") {
  Problem parts;
  parts.costs->layers[0].on[1].runtime += 1;
  const auto problem =
      std::make_shared<ScheduleProblem>(parts.accelerator, parts.graph, parts.costs, ScheduleOptions());
  const CoreSymmetry symmetry(*problem);
  CHECK(symmetry.exchanges().empty());
  CHECK_EQ(symmetry.canonical({1, 0}), Genome{1, 0});
}

TEST_CASE("symmetry: very many exchanges are not listed but used") {
  const CoreSymmetry symmetry(*with_cores(9, 10));
  CHECK(symmetry.exchanges().empty());
  CHECK_EQ(symmetry.classes().size(), 2);  // cores, off-chip memory
  CHECK_EQ(symmetry.canonical({5, 8, 5, 0}), Genome{0, 1, 0, 2});
}

TEST_CASE("latency bound: the longest path, the work of a core, the traffic of a link") {
  // Weights and input come in 9 cycles, both nodes run on one core, and the result leaves in 6.
  CHECK_EQ(schedule_bound(*with_cores(2, 10)), 9 + 20 + 30 + 6);
  SUBCASE("both on one core that is slow") {
    Problem parts;
    for (CoreCosts::OfLayer& layer : parts.costs->layers) layer.on.erase(layer.on.begin());
    parts.graph->dependencies.clear();
    parts.graph->layers[1].constants = {1};
    parts.graph->index();
    const ScheduleProblem problem(parts.accelerator, parts.graph, parts.costs, ScheduleOptions());
    CHECK_EQ(schedule_bound(problem), 3 + 20 + 30 + 6);
  }
  SUBCASE("weights that take longer to fetch than to use") {
    Problem parts;
    parts.graph->tensors[TinySchedule::w0].bits = 1000;
    const ScheduleProblem problem(parts.accelerator, parts.graph, parts.costs, ScheduleOptions());
    CHECK_EQ(schedule_bound(problem), (1000 + 40) / 10 + 20 + 30 + 6);
  }
}

TEST_CASE("searches of tiny problems find what is best, with their bound") {
  const auto problem = with_cores(2, 10);
  for (const SearchMethod method : {SearchMethod::automatic, SearchMethod::genetic,
                                    SearchMethod::exhaustive, SearchMethod::annealing}) {
    for (const bool orders : {false, true}) {
      ScheduleSearchOptions options;
      options.method = method;
      options.orders_move = orders;
      const ScheduleSearchResult result = search_schedules(problem, options, zz::test::on_threads(1));
      REQUIRE_FALSE(result.front.empty());
      CHECK_GE(result.front.back().latency, result.bounds.latency.value);
      CHECK_GT(result.schedules, 0);
      if (!orders && method != SearchMethod::annealing) CHECK_LE(result.schedules, 2);
      if (!orders && method == SearchMethod::exhaustive) CHECK(result.exhaustive);
    }
  }
}

TEST_CASE("a search in which nothing fits says why") {
  Problem parts;
  parts.accelerator->top_memories[0].size = parts.accelerator->top_memories[1].size = 60;
  const auto problem =
      std::make_shared<ScheduleProblem>(parts.accelerator, parts.graph, parts.costs, ScheduleOptions());
  const ScheduleSearchResult result = search_schedules(problem, {}, zz::test::on_threads(1));
  CHECK(result.front.empty());
  CHECK_GT(result.infeasible, 0);
  CHECK_FALSE(result.reason.empty());
}
