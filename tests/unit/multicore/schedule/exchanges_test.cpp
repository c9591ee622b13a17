#include "core/multicore/schedule/exchanges.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <functional>
#include <string>

#include "core/multicore/check/violations.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/searches.hpp"

using namespace zz;
using core::Exchange;

namespace {

/// The core of tests/inputs with a memory of so many bits for inputs and outputs below its only one, at a
/// quarter of the cost.
core::Accelerator with_local_memory(core::Accelerator core, std::int64_t bits) {
  core::Memory local = core.memories.front();
  local.name = "local";
  local.size = bits;
  local.read_cost /= 4;
  local.write_cost /= 4;
  local.operands = {"I1", "O"};
  for (core::Port& port : local.ports)
    std::erase_if(port.allocation, [](const auto& served) { return served.operand == "I2"; });
  core.memories.insert(core.memories.begin(), local);
  return core;
}

/// A schedule of a small network of products on two cores with local memories, and what its nodes cost that
/// exchange tensors there.
struct World {
  std::shared_ptr<core::MultiCoreAccelerator> accelerator;
  std::shared_ptr<core::ComputationNodeGraph> graph;
  std::shared_ptr<core::CoreCosts> costs;

  World(const core::Workload& workload, std::int64_t pieces, std::int64_t local_bits)
      : accelerator(std::make_shared<core::MultiCoreAccelerator>(
            test::accelerator_of(ZZ_SOURCE_DIR "/tests/inputs/stream_accelerator.yaml"))),
        costs(std::make_shared<core::CoreCosts>()) {
    for (const int core : {0, 1})
      accelerator->cores[core] = std::make_shared<const core::Accelerator>(
          with_local_memory(*accelerator->cores[core], local_bits));
    core::SplitOptions options;
    options.mode = core::split_by_layer;
    for (const auto& layer : workload.layers)
      options.cut_entries.push_back(
          {{layer->id},
           pieces > 1 ? std::vector<core::CutLoop>{{"D", pieces}} : std::vector<core::CutLoop>{}});
    std::vector<std::string> warnings;
    graph = std::make_shared<core::ComputationNodeGraph>(
        core::split_into_nodes(workload, *accelerator, options, warnings));
    const core::CoreCostPlan plan(accelerator, graph, core::Rules{});
    *costs = plan.costs(answers(plan.questions()));
    const core::ExchangePlan exchanges(*accelerator, *graph, plan, *costs);
    costs->exchanging = exchanges.costs(answers(exchanges.questions()));
  }

  static std::vector<std::shared_ptr<const core::Evaluation>> answers(
      const std::vector<core::CoreCostQuestion>& questions) {
    std::vector<std::shared_ptr<const core::Evaluation>> found;
    for (const core::CoreCostQuestion& question : questions)
      found.push_back(test::answer(question, 3, false));
    return found;
  }

  core::Schedule schedule(const std::function<int(int)>& below) const {
    const auto problem =
        std::make_shared<const core::ScheduleProblem>(accelerator, graph, costs, core::ScheduleOptions{});
    core::ScheduleChoice choice;
    const int first = below(4);  // often everything on one core
    for (const core::Gene& gene : problem->genes())
      choice.cores.push_back(gene.cores[first < 2 ? first : below(2)]);
    choice.dispatch = static_cast<core::DispatchRule>(below(3));
    choice.back_filling = below(2) == 1;
    return core::Scheduler(problem).schedule(choice);
  }
};

/// Products in a row, of which some read an earlier one.
core::Workload random_network(core::RandomNumbers& random) {
  constexpr std::int64_t rows = 4;
  test::NetworkBuilder network;
  std::vector<std::int64_t> columns;
  const int layers = 2 + random.below(4);
  for (int id = 0; id < layers; ++id) {
    const int source = id == 0 ? -1 : random.below(4) == 0 ? random.below(id) : id - 1;
    columns.push_back(4 << random.below(3));
    core::Layer layer =
        test::gemm_layer(id, rows, source < 0 ? 8 : columns[static_cast<std::size_t>(source)],
                         columns.back(), std::max(source, 0));
    if (source < 0) {
      layer.operands[2].sources.clear();
      layer.operands[2].constant = true;
    }
    network.add(layer);
  }
  return network.workload();
}

core::Workload row_of_products(int layers) {
  test::NetworkBuilder network;
  for (int id = 0; id < layers; ++id) {
    core::Layer layer = test::gemm_layer(id, 4, 8, 8, std::max(id - 1, 0));
    if (id == 0) {
      layer.operands[2].sources.clear();
      layer.operands[2].constant = true;
    }
    network.add(layer);
  }
  return network.workload();
}

core::Schedule on_first_core(const World& world) {
  return world.schedule([](int) { return 0; });
}

/// The most energy that any set of bundles saves which the check of schedules accepts, by trying all of
/// them.
double most_saved(const core::Schedule& schedule) {
  const core::ComputationNodeGraph& graph = *schedule.graph;
  const auto core_of = [&](int node) {
    return std::find_if(schedule.nodes.begin(), schedule.nodes.end(),
                        [&](const auto& entry) { return entry.node == node; })
        ->core;
  };
  std::vector<core::ExchangeBundle> bundles = core::possible_exchanges(graph);
  for (core::ExchangeBundle& bundle : bundles)
    for (Exchange& exchange : bundle) {
      exchange.core = core_of(exchange.from);
      exchange.memory = 0;
    }
  double most = 0;
  for (std::uint32_t chosen = 1; chosen < 1U << bundles.size(); ++chosen) {
    core::Schedule tried = schedule;
    for (std::size_t i = 0; i < bundles.size(); ++i)
      if ((chosen >> i & 1U) != 0)
        tried.exchanges.insert(tried.exchanges.end(), bundles[i].begin(), bundles[i].end());
    const std::vector<const core::CoreCost*> costs = core::costs_of_nodes(tried);
    if (std::find(costs.begin(), costs.end(), nullptr) != costs.end()) continue;
    double& onchip = tried.energy_terms[static_cast<std::size_t>(core::EnergyTerm::node_onchip)];
    onchip = 0;
    for (const core::CoreCost* cost : costs) onchip += cost->onchip_energy;
    tried.energy = 0;
    for (const double term : tried.energy_terms) tried.energy += term;
    if (core::find_violations(tried).empty()) most = std::max(most, schedule.energy - tried.energy);
  }
  return most;
}

bool breaks(const core::Schedule& schedule, const std::string& rule) {
  const auto found = core::find_violations(schedule);
  return std::any_of(found.begin(), found.end(), [&](const auto& entry) { return entry.rule == rule; });
}

}  // namespace

TEST_CASE("exchanges: energy is never higher, nearly the least of all sets, and schedules stay valid") {
  core::RandomNumbers random(7, 0);
  const auto below = [&](int count) { return random.below(count); };
  int with_exchanges = 0, waiting = 0;
  double all_saved = 0, all_most = 0;
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const World world(random_network(random), 1 << random.below(2), 128 << random.below(4));
    for (int again = 0; again < 3; ++again) {
      const core::Schedule before = world.schedule(below);
      core::Schedule after = before;
      core::exchange_inside_cores(after);
      const double saved = core::saved_by_exchanges(after);
      CHECK(after.energy <= before.energy);
      CHECK(saved == doctest::Approx(before.energy - after.energy));
      const double most = most_saved(before);
      CHECK(saved <= most * (1 + 1e-9));
      all_saved += saved;
      all_most += most;
      CHECK(after.latency == before.latency);
      CHECK(after.exchanges.empty() == (saved == 0));
      const auto wrong = core::find_violations(after);
      CHECK_MESSAGE(wrong.empty(), (wrong.empty() ? "" : wrong.front().rule + ": " + wrong.front().what));
      with_exchanges += after.exchanges.empty() ? 0 : 1;
      for (const Exchange& exchange : after.exchanges) waiting += exchange.to > exchange.from + 1 ? 1 : 0;
    }
  }
  CHECK(with_exchanges > 40);
  CHECK(waiting > 40);
  CHECK(all_saved > 0.98 * all_most);
}

TEST_CASE("exchanges: what a node exchanges never goes above its exchange memory") {
  const World world(row_of_products(3), 1, 1024);
  REQUIRE_FALSE(world.costs->exchanging.empty());
  for (const core::ExchangingCost& entry : world.costs->exchanging) {
    const core::CoreCost* alone = &world.costs->layers[entry.layer].on.front();
    CHECK(entry.cost.runtime <= alone->runtime);
    for (const int operand : entry.exchanged) {
      CHECK(entry.cost.evaluation->operands[operand].levels.size() == 1);
      CHECK(alone->evaluation->operands[operand].levels.size() == 2);
    }
  }
}

TEST_CASE("exchanges: a tensor goes with all that read it, and an operand with all that it reads") {
  const auto bundles = [](const core::Workload& workload, std::int64_t pieces) {
    std::vector<std::size_t> uses;
    for (const core::ExchangeBundle& bundle :
         core::possible_exchanges(*World(workload, pieces, 1024).graph))
      uses.push_back(bundle.size());
    return uses;
  };
  using Uses = std::vector<std::size_t>;
  CHECK(bundles(row_of_products(3), 1) == Uses{1, 1});
  CHECK(bundles(row_of_products(3), 4) == Uses(8, 1));
  test::NetworkBuilder two_readers;
  two_readers.add(*row_of_products(1).layers[0]);
  two_readers.add(test::gemm_layer(1, 4, 8, 8, 0));
  two_readers.add(test::gemm_layer(2, 4, 8, 8, 0));
  CHECK(bundles(two_readers.workload(), 1) == Uses{2});
  CHECK(bundles(two_readers.workload(), 2) == Uses{2, 2});
  core::Workload other_bits = row_of_products(2);
  core::Layer reader = *other_bits.layers[1];
  reader.operands[2].precision = 4;
  other_bits.layers[1] = std::make_shared<core::Layer>(reader);
  CHECK(bundles(other_bits, 1).empty());
}

TEST_CASE("exchanges: none without room, without such a memory, or between cores") {
  core::Schedule schedule = on_first_core(World(row_of_products(2), 1, 128));  // the tensor has 256 bits
  core::exchange_inside_cores(schedule);
  CHECK(schedule.exchanges.empty());
  const World world(row_of_products(2), 1, 1024);
  CHECK(core::inner_exchange_memories(*world.accelerator->cores[0], {"O", "I1"}) == std::vector<int>{0});
  CHECK(core::inner_exchange_memories(*world.accelerator->cores[0], {"O", "I2"}).empty());
  int core = 0;
  core::Schedule apart = world.schedule([&](int count) { return count == 4 ? 3 : core++ % count; });
  REQUIRE(apart.nodes[0].core != apart.nodes[1].core);
  core::exchange_inside_cores(apart);
  CHECK(apart.exchanges.empty());
}

TEST_CASE("exchanges: the check of schedules refuses what could not happen") {
  const World world(row_of_products(3), 1, 1024);
  core::Schedule schedule = on_first_core(world);
  core::exchange_inside_cores(schedule);
  REQUIRE(schedule.exchanges.size() == 2);
  REQUIRE(core::find_violations(schedule).empty());
  std::string rule = "exchange";
  SUBCASE("in the topmost memory") { schedule.exchanges[0].memory = 1; }
  SUBCASE("another tensor") { schedule.exchanges[0].tensor = schedule.exchanges[1].tensor; }
  SUBCASE("another operand") { schedule.exchanges[0].operand = 1; }
  SUBCASE("to another node") { schedule.exchanges[0].to = schedule.exchanges[1].to; }
  SUBCASE("on another core") { schedule.exchanges[0].core = 1; }
  SUBCASE("twice") { schedule.exchanges.push_back(schedule.exchanges[0]); }
  SUBCASE("without a cost") {
    auto costs = std::make_shared<core::CoreCosts>(*schedule.costs);
    costs->exchanging.clear();
    schedule.costs = costs;
  }
  SUBCASE("without room beside what others need") {
    // The mapping of the first node says that it fills the memory, so that nothing can wait there.
    auto costs = std::make_shared<core::CoreCosts>(*schedule.costs);
    for (core::ExchangingCost& entry : costs->exchanging) {
      auto full = std::make_shared<core::Evaluation>(*entry.cost.evaluation);
      auto wider = std::make_shared<core::Layer>(*full->layer);
      for (core::LoopDimension& loop : wider->loops) loop.size = 1;  // it reads less than there is
      full->layer = wider;
      for (core::OperandCost& operand : full->operands)
        for (core::LevelCost& level : operand.levels) level.utilization = 1;
      entry.cost.evaluation = full;
    }
    schedule.costs = costs;
  }
  SUBCASE("without room") {
    auto small = std::make_shared<core::MultiCoreAccelerator>(*schedule.accelerator);
    small->cores[0] =
        std::make_shared<const core::Accelerator>(with_local_memory(*world.accelerator->cores[1], 128));
    schedule.accelerator = small;
  }
  SUBCASE("sent as well") {
    core::Transfer sent = schedule.transfers.front();
    sent.tensor = schedule.exchanges[0].tensor;
    schedule.transfers.push_back(sent);
  }
  SUBCASE("not told") {
    schedule.exchanges.pop_back();
    rule = "energy";
  }
  SUBCASE("no such node") {
    schedule.exchanges[0].to = 99;
    rule = "entry";
  }
  CHECK(breaks(schedule, rule));
}
