#include "core/multicore/explain/schedule_helps.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <memory>
#include <string>

#include "core/hardware/interconnect.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "tests/unit/worlds/schedules.hpp"

namespace zz::core {
namespace {

/// Independent nodes of one layer on two cores joined by a bus; each reads weights and inputs of its own.
struct World {
  std::shared_ptr<MultiCoreAccelerator> accelerator;
  std::shared_ptr<ComputationNodeGraph> graph;
  std::shared_ptr<CoreCosts> costs = std::make_shared<CoreCosts>();

  World(int nodes, double runtime)
      : accelerator(std::make_shared<MultiCoreAccelerator>(test::two_small_cores(1 << 16))),
        graph(std::make_shared<ComputationNodeGraph>(test::small_graph_of_products(nodes))) {
    join_by_bus(*accelerator, {64, 0});
    accelerator->derive();
    // Without the second layer all nodes may run at once.
    graph->layers.pop_back();
    graph->nodes.resize(nodes);
    graph->tensors.resize(static_cast<std::size_t>(3 * nodes));
    graph->dependencies.clear();
    graph->node_order.resize(nodes);
    for (int node = 0; node < nodes; ++node) {
      graph->nodes[node].group = node;
      graph->nodes[node].final_output = true;
    }
    graph->layers[0].group_count = nodes;
    graph->layers[0].constants = {1, 2};
    graph->index();
    CoreCosts::OfLayer& layer = costs->layers.emplace_back();
    for (const int core : {0, 1}) {
      CoreCost& cost = layer.on.emplace_back();
      cost.core = core;
      cost.runtime = runtime;
      cost.onchip_energy = 1;
    }
  }

  Schedule schedule(const ScheduleOptions& options = {}) const {
    const auto problem = std::make_shared<const ScheduleProblem>(accelerator, graph, costs, options);
    ScheduleChoice choice;
    for (std::size_t i = 0; i < problem->genes().size(); ++i)
      choice.cores.push_back(static_cast<int>(i % 2));
    return Scheduler(problem).schedule(choice);
  }
};

const ScheduleHelp* find(const ScheduleHelps& helps, const std::string& kind) {
  const auto found = std::find_if(helps.found.begin(), helps.found.end(),
                                  [&](const ScheduleHelp& help) { return help.kind == kind; });
  return found == helps.found.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("where cores are busy, one core more helps by what it takes over") {
  const World world(6, 1000);
  const Schedule schedule = world.schedule();
  const ScheduleHelps helps = schedule_helps(schedule);
  REQUIRE(helps.repeatable);
  CHECK(helps.not_known.empty());
  CHECK(helps.searched_again <= schedule.latency);
  const ScheduleHelp* core = find(helps, "core");
  REQUIRE(core != nullptr);
  // Six nodes on three cores instead of two: two after each other instead of three.
  CHECK(core->saved >= 900);
  CHECK(core->saved <= 1000);
  CHECK(core->latency == helps.searched_again - core->saved);
  CHECK(core->change.find("like core 0") != std::string::npos);
  CHECK(find(helps, "link") == nullptr);
  CHECK(find(helps, "memory") == nullptr);
  // Most first.
  for (std::size_t i = 1; i < helps.found.size(); ++i)
    CHECK(helps.found[i - 1].saved >= helps.found[i].saved);
}

TEST_CASE("where the mapping leaves an equal core without work, it helps to name it, not to add one") {
  World world(6, 1000);
  world.costs->layers[0].on.pop_back();
  const auto problem = std::make_shared<const ScheduleProblem>(world.accelerator, world.graph, world.costs,
                                                               ScheduleOptions());
  ScheduleChoice choice;
  choice.cores.assign(problem->genes().size(), 0);
  const ScheduleHelps helps = schedule_helps(Scheduler(problem).schedule(choice));
  REQUIRE(helps.repeatable);
  CHECK(helps.left_out == std::vector<int>{1});
  const ScheduleHelp* core = find(helps, "core");
  REQUIRE(core != nullptr);
  CHECK(core->change.find("naming core 1 in core_allocation beside core 0") == 0);
  CHECK(core->saved >= 2900);
  CHECK(core->saved <= 3000);
}

TEST_CASE("where the off-chip port is busy, it helps to widen it, and no core does") {
  const World world(8, 1);
  const ScheduleHelps helps = schedule_helps(world.schedule());
  REQUIRE(helps.repeatable);
  REQUIRE(!helps.found.empty());
  CHECK(helps.found.front().kind == "link");
  CHECK(helps.found.front().change.find("off-chip") != std::string::npos);
  CHECK(find(helps, "core") == nullptr);
  ScheduleHelpOptions four;
  four.factor = 4;
  const ScheduleHelps more = schedule_helps(world.schedule(), four);
  REQUIRE(!more.found.empty());
  CHECK(more.found.front().saved > helps.found.front().saved);
}

TEST_CASE("the same schedule gives the same helps; nothing is offered below the least") {
  const World world(6, 1000);
  const Schedule schedule = world.schedule();
  const ScheduleHelps a = schedule_helps(schedule), b = schedule_helps(schedule);
  REQUIRE(a.found.size() == b.found.size());
  for (std::size_t i = 0; i < a.found.size(); ++i) CHECK(a.found[i].latency == b.found[i].latency);
  const ScheduleHelps none = schedule_helps(schedule, {.factor = 2, .least = 0.9});
  CHECK(none.found.empty());
  CHECK(none.tried == a.tried);
}

TEST_CASE("a schedule with an order and constants of its own is made again; an edited one is not") {
  const World world(6, 100);
  ScheduleOptions options;
  options.prefetch = {"W"};
  for (const int node : {3, 1, 5, 0, 2, 4}) options.order.emplace_back(0, node);
  CHECK(schedule_helps(world.schedule(options)).repeatable);
  Schedule edited = world.schedule();
  edited.latency += 17;
  const ScheduleHelps helps = schedule_helps(edited);
  CHECK(!helps.repeatable);
  CHECK(helps.found.empty());
  CHECK(helps.not_known.size() == 1);
  edited.costs = nullptr;
  CHECK(schedule_helps(edited).not_known.size() == 1);
}

}  // namespace zz::core
