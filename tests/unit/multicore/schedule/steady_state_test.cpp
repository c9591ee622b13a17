#include "core/multicore/schedule/detail/steady_state.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/multicore/bound/menu_bound.hpp"
#include "core/multicore/bound/schedule_bound.hpp"
#include "core/multicore/check/violations.hpp"
#include "core/multicore/graph/samples.hpp"
#include "core/multicore/search/schedule_search.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/schedules.hpp"
#include "tests/unit/worlds/searches.hpp"

// Schedules that begin again every period: the least one, what stays, and who checks it.

using namespace zz;

namespace {

using Uses = std::vector<core::RepeatedUse>;

/// Cycle by cycle, with as many repeats as are under way.
bool fits(const Uses& uses, int period) {
  for (const core::RepeatedUse& use : uses) {
    std::vector<double> sum(period, 0);
    for (const core::RepeatedUse::Stretch& stretch : use.stretches)
      for (int cycle = static_cast<int>(stretch.start); cycle < stretch.end; ++cycle)
        sum[cycle % period] += stretch.amount;
    if (*std::max_element(sum.begin(), sum.end()) > use.capacity) return false;
  }
  return true;
}

Uses random_uses(core::RandomNumbers& random) {
  Uses uses(1 + random.below(4));
  for (core::RepeatedUse& use : uses) {
    use.capacity = 1 + random.below(4);
    double time = random.below(12);
    for (int i = random.below(7); i > 0; --i) {
      const double end = time + 1 + random.below(9);
      use.stretches.push_back({time, end, 1.0 + random.below(static_cast<int>(use.capacity))});
      time = end + (random.below(2) == 0 ? 0 : random.below(9));
    }
  }
  return uses;
}

std::string told(const core::Schedule& schedule) {
  const auto violations = core::find_violations(schedule, 1);
  return violations.empty() ? "" : violations.front().rule + ": " + violations.front().what;
}

std::shared_ptr<const core::ScheduleProblem> small_cnn(const test::ShippedCase& shipped, int samples,
                                                       core::Cut loops) {
  core::SplitOptions options;
  options.samples = samples;
  options.loops = std::move(loops);
  std::vector<std::string> warnings;
  const auto graph = std::make_shared<const core::ComputationNodeGraph>(
      core::split_into_nodes(shipped.workload, *shipped.accelerator, options, warnings));
  const core::CoreCostPlan plan(shipped.accelerator, graph, core::Rules{});
  std::vector<std::string> reasons(plan.questions().size());
  return std::make_shared<const core::ScheduleProblem>(
      shipped.accelerator, graph,
      std::make_shared<const core::CoreCosts>(
          plan.costs(test::default_answers()(plan.questions(), reasons))),
      core::ScheduleOptions{});
}

std::vector<int> all_layers(const core::ComputationNodeGraph& graph) {
  std::vector<int> layers;
  for (int layer = 0; layer < static_cast<int>(graph.layers.size()); ++layer) layers.push_back(layer);
  return layers;
}

core::ScheduleChoice random_choice(const core::ScheduleProblem& problem, core::RandomNumbers& random) {
  core::ScheduleChoice choice;
  for (const core::Gene& gene : problem.genes())
    choice.cores.push_back(gene.cores[random.below(static_cast<int>(gene.cores.size()))]);
  choice.dispatch = static_cast<core::DispatchRule>(random.below(3));
  choice.back_filling = random.below(2) == 1;
  choice.period = core::ScheduleChoice::least_period;
  for (const int layer : all_layers(*problem.graph()))
    if (random.below(2) == 1) choice.resident.push_back(layer);
  return choice;
}

}  // namespace

TEST_CASE("steady state: the least period is that of trying all of them") {
  core::RandomNumbers random(1, 0);
  int overlapping = 0;
  for (int i = 0; i < 2000; ++i) {
    CAPTURE(i);
    const Uses uses = random_uses(random);
    int least = 1;
    while (!fits(uses, least)) ++least;
    CHECK(core::least_period(uses) == least);
    double end = 0;
    for (const core::RepeatedUse& use : uses)
      if (!use.stretches.empty())
        end = std::max(end, use.stretches.back().end - use.stretches.front().start);
    overlapping += least < end ? 1 : 0;
    int from = least + 1 + random.below(9);
    const int asked = from;
    while (!fits(uses, from)) ++from;
    CHECK(core::least_period(uses, asked) == from);
  }
  CHECK(overlapping > 300);
}

TEST_CASE("steady state: repeats of a schedule could happen, and none could begin sooner") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  core::RandomNumbers random(5, 0);
  int made = 0, overlapping = 0, resident = 0;
  for (const int samples : {1, 3}) {
    for (const core::Cut& loops : {core::Cut{{"OY", 4}}, core::Cut{{"K", 2}}}) {
      const auto problem = small_cnn(shipped, samples, loops);
      core::Scheduler scheduler(problem);
      for (int i = 0; i < 12; ++i) {
        const core::ScheduleChoice choice = random_choice(*problem, random);
        const core::ScheduleFigures figures = scheduler.evaluate(choice);
        if (!figures.feasible) continue;
        core::Schedule schedule = scheduler.schedule(choice);
        ++made;
        CHECK(schedule.period == figures.period);
        CHECK(schedule.latency == figures.latency);
        CHECK(told(schedule) == "");
        CHECK(figures.period >= core::period_bound(*problem, schedule.resident));
        overlapping += figures.period < figures.latency ? 1 : 0;
        resident += schedule.resident.empty() ? 0 : 1;
        for (const core::Transfer& transfer : schedule.transfers) {
          const core::PieceTensor& tensor = problem->graph()->tensors[transfer.tensor];
          const bool stays = std::find(schedule.resident.begin(), schedule.resident.end(), tensor.layer) !=
                             schedule.resident.end();
          CHECK(!(stays && tensor.operand > 0 &&
                  core::shared_by_samples(*problem->graph()->layers[tensor.layer].layer, tensor.operand)));
        }
        // What stays can be told again, as a period can.
        core::ScheduleChoice again = choice;
        again.resident = schedule.resident;
        again.period = schedule.period;
        CHECK(scheduler.schedule(again).period == schedule.period);
        CHECK(scheduler.resident() == schedule.resident);
        // The checker looks at all repeats that are under way, and the period was found by folding one.
        for (int shorter = 1; shorter <= 40 && shorter < schedule.period; ++shorter) {
          schedule.period = figures.period - shorter;
          CHECK(told(schedule) != "");
        }
      }
    }
  }
  CHECK(made > 30);
  CHECK(overlapping > 10);
  CHECK(resident > 10);
}

TEST_CASE("steady state: for a period that is given, nodes are placed beside those of other repeats") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  core::RandomNumbers random(3, 0);
  int shorter = 0;
  for (const int samples : {1, 2}) {
    const auto problem = small_cnn(shipped, samples, {{"OY", 4}});
    core::Scheduler scheduler(problem);
    for (int i = 0; i < 10; ++i) {
      core::ScheduleChoice choice = random_choice(*problem, random);
      const core::ScheduleFigures alone = scheduler.evaluate(choice);
      if (!alone.feasible) continue;
      for (const double share : {0.5, 0.7, 0.8, 0.9, 0.97}) {
        choice.period = std::ceil(share * alone.period);
        const core::ScheduleFigures figures = scheduler.evaluate(choice);
        if (!figures.feasible) {
          CHECK(scheduler.reason().find("collide") != std::string::npos);
          CHECK_THROWS_AS(scheduler.schedule(choice), core::InputError);
          continue;
        }
        ++shorter;
        CHECK(figures.period == choice.period);
        const core::Schedule schedule = scheduler.schedule(choice);
        CHECK(schedule.latency == figures.latency);
        CHECK(told(schedule) == "");
        CHECK(figures.period >= core::period_bound(*problem, schedule.resident));
      }
      choice.period = 3 * alone.latency;
      CHECK(scheduler.evaluate(choice).latency == alone.latency);
    }
  }
  CHECK(shorter > 10);
}

TEST_CASE("steady state: constants stay while there is room beside the largest node") {
  // One layer of two nodes that read the same weights; its inputs have another memory.
  const auto resident_in = [](std::int64_t memory_bits) {
    test::ProblemSketch sketch(1, memory_bits);
    sketch.layer({test::ProblemSketch::w});
    const int weights = sketch.tensor(test::ProblemSketch::w, 640, 2);
    for (int i = 0; i < 2; ++i) sketch.node({sketch.tensor(test::ProblemSketch::o, 64, 0), weights, -1});
    sketch.cost(0, 10);
    const_cast<core::Layer&>(*sketch.graph->layers[0].layer).operands[test::ProblemSketch::w].constant =
        true;
    core::Scheduler scheduler(sketch.problem(false));
    core::ScheduleChoice choice;
    choice.period = core::ScheduleChoice::least_period;
    choice.resident = {0};
    return scheduler.schedule(choice);
  };
  const core::Schedule stays = resident_in(640);
  CHECK(stays.resident == std::vector<int>{0});
  CHECK(core::cycles_of_fill(stays) == 10);
  CHECK(stays.fill.size() == 1);
  CHECK(stays.period == 20);  // the work of the core
  CHECK(told(stays) == "");
}

TEST_CASE("steady state: the checker finds repeats that meet on a core, on a link and in a memory") {
  const auto with_period = [](double period) {
    test::TinySchedule tiny;
    tiny.schedule.period = period;
    return told(tiny.schedule);
  };
  CHECK(with_period(75) == "");
  CHECK(with_period(29).find("core overlap: node (1, 0) of layer 'second' starts on core 1") == 0);
  CHECK(with_period(60).find("link: link 1") == 0);
  CHECK(with_period(57).find("memory: memory 'sram' of core 1 of 200 bits holds 220") == 0);
  CHECK(with_period(57).find("with a repeat every 57 cycles") != std::string::npos);
  CHECK(with_period(74.5).find("entry") == 0);
}

TEST_CASE("steady state: the checker replays what comes before the first repeat, and that it stays") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  const auto problem = small_cnn(shipped, 2, {{"OY", 4}});
  core::Scheduler scheduler(problem);
  core::ScheduleChoice choice;
  for (const core::Gene& gene : problem->genes()) choice.cores.push_back(gene.cores.front());
  choice.period = core::ScheduleChoice::least_period;
  choice.resident = all_layers(*problem->graph());
  core::Schedule schedule = scheduler.schedule(choice);
  REQUIRE(schedule.fill.size() > 1);
  REQUIRE(told(schedule) == "");
  SUBCASE("one is missing") {
    schedule.fill.pop_back();
    CHECK(told(schedule).find("input missing") == 0);
  }
  SUBCASE("two at once") {
    schedule.fill[1].end = schedule.fill[0].end;
    schedule.fill[1].start = schedule.fill[0].start;
    CHECK(told(schedule) != "");
  }
  SUBCASE("it is removed") {
    core::Removal removal;
    removal.tensor = schedule.fill[0].tensor;
    removal.core = schedule.fill[0].receiver;
    removal.memory = schedule.fill[0].receiver_memory;
    removal.time = schedule.latency;
    removal.nodes_before = static_cast<int>(schedule.nodes.size());
    schedule.removals.push_back(removal);
    CHECK(told(schedule).find("where it stays for the next repeats") != std::string::npos);
  }
  SUBCASE("from nowhere") {
    schedule.fill[0].sender = schedule.fill[0].receiver == 0 ? 1 : 0;
    CHECK(told(schedule) != "");
  }
}

TEST_CASE("steady state: a network that carries something on is refused, and constants that never fit") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  CHECK_NOTHROW(core::check_resident(shipped.workload, *shipped.accelerator));
  core::MultiCoreAccelerator small = *shipped.accelerator;
  for (core::TopMemory& memory : small.top_memories) memory.size = 8;
  CHECK_THROWS_WITH_AS(core::check_resident(shipped.workload, small),
                       doctest::Contains("not even the smallest constants can stay, those of layer"),
                       core::InputError);
}

TEST_CASE("steady state: no period and no energy of a small network is below the bound") {
  const test::PartitionSpace space(
      test::workload_of(ZZ_SOURCE_DIR "/configs/workloads/small_cnn.yaml",
                        ZZ_SOURCE_DIR "/configs/mappings/heterogeneous_dual_core.yaml"),
      test::accelerator_of(ZZ_SOURCE_DIR "/configs/accelerators/heterogeneous_dual_core.yaml"),
      [](const core::Layer& layer) {
        return test::cuts_of_loops(layer, {2, 4, 7}, 24);
      },
      4);
  const core::MenuBounds all =
      core::menu_bounds(space.workload, *space.accelerator, space.menu, 1, {true, true});
  const core::MenuBounds none =
      core::menu_bounds(space.workload, *space.accelerator, space.menu, 1, {true, false});
  CHECK(all.latency.value <= none.latency.value);
  CHECK(all.energy.value < none.energy.value);
  CHECK(none.latency.value <=
        core::menu_bounds(space.workload, *space.accelerator, space.menu).latency.value);
  core::RandomNumbers random(9, 0);
  int made = 0;
  for (int i = 0; i < 40; ++i) {
    std::vector<int> partition;
    for (const auto& cuts : space.menu) partition.push_back(random.below(static_cast<int>(cuts.size())));
    const auto problem = space.problem(partition);
    core::Scheduler scheduler(problem);
    for (int j = 0; j < 5; ++j) {
      const core::ScheduleFigures figures = scheduler.evaluate(random_choice(*problem, random));
      if (!figures.feasible) continue;
      ++made;
      const core::MenuBounds& bounds = scheduler.resident().empty() ? none : all;
      CHECK(figures.period >= bounds.latency.value);
      CHECK(figures.energy >= bounds.energy.value);
      CHECK(figures.period * figures.energy >= bounds.edp.value);
      CHECK(figures.period >= core::period_bound(*problem, scheduler.resident()));
    }
  }
  CHECK(made > 100);
}
