#include "core/multicore/schedule/detail/steady_state.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/multicore/bound/menu_bound.hpp"
#include "core/multicore/bound/schedule_bound.hpp"
#include "core/multicore/check/violations.hpp"
#include "core/multicore/graph/samples.hpp"
#include "core/multicore/schedule/resident_figures.hpp"
#include "core/multicore/search/schedule_search.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/schedules.hpp"
#include "tests/unit/worlds/searches.hpp"
#include "tests/unit/worlds/thorough.hpp"

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
  // Layers of two nodes each that read the same weights, in a memory of their own.
  const auto resident_in = [](std::int64_t memory_bits, const std::vector<std::int64_t>& weights,
                              const std::vector<int>& asked) {
    test::ProblemSketch sketch(1, memory_bits);
    for (const std::int64_t bits : weights) {
      sketch.layer({test::ProblemSketch::w});
      const int tensor = sketch.tensor(test::ProblemSketch::w, bits, 2);
      for (int i = 0; i < 2; ++i) sketch.node({sketch.tensor(test::ProblemSketch::o, 64, 0), tensor, -1});
      sketch.cost(0, 10);
    }
    core::Scheduler scheduler(sketch.problem(false));
    core::ScheduleChoice choice;
    choice.period = core::ScheduleChoice::least_period;
    choice.resident = asked;
    return scheduler.schedule(choice);
  };
  const core::Schedule stays = resident_in(640, {640}, {0});
  CHECK(stays.resident == std::vector<int>{0});
  CHECK(stays.fill.size() == 1);
  CHECK(stays.period == 20);  // the work of the core
  CHECK(told(stays) == "");
  const core::ResidentFigures figures = core::resident_figures(stays, {0});
  CHECK(figures.bits == 640);
  CHECK(figures.fill_cycles == 10);
  CHECK(figures.fill_energy == doctest::Approx(1000 * 10 + 23.65 * 5));
  CHECK(figures.left_out.empty());
  // Beside what stays the other layer needs 64 bits.
  const core::Schedule with_room = resident_in(704, {640, 64}, {0});
  CHECK(with_room.resident == std::vector<int>{0});
  CHECK(told(with_room) == "");
  const core::Schedule none = resident_in(703, {640, 64}, {0});
  CHECK(none.resident.empty());
  CHECK(none.fill.empty());
  CHECK(none.transfers.size() == with_room.transfers.size() + 1);
  CHECK(told(none) == "");
  const std::string reason = core::does_not_stay(*none.graph, 0);
  CHECK(reason.rfind("the constants of layer 0 'layer0', 640 bits, do not stay: ", 0) == 0);
  CHECK_THROWS_WITH_AS(core::resident_figures(none, {0}),
                       doctest::Contains(("not even the smallest constants: " + reason).c_str()),
                       core::InputError);
  // Where all stay, nothing needs room beside them.
  const core::Schedule both = resident_in(704, {640, 64}, {1, 0});
  CHECK(both.resident == std::vector<int>{1, 0});
  CHECK(core::resident_figures(both, {1, 0}).bits == 704);
  // The first that is asked for has its room first.
  const core::Schedule one = resident_in(704, {640, 64, 64}, {1, 0, 2});
  CHECK(one.resident == std::vector<int>{1});
  CHECK(core::resident_figures(one, {1, 0, 2}).left_out == std::vector<int>{0, 2});
  CHECK(core::resident_figures(one, {1, 0, 2}).bits == 64);
  CHECK(told(one) == "");
}

TEST_CASE("steady state: what collides is named, a core or the link that streams wait for") {
  // Two layers of a node of 10 cycles each, on cores of their own.
  const auto reason = [](double streamed_bits, double period) {
    test::ProblemSketch sketch(2, 1024);
    for (int core = 0; core < 2; ++core) {
      sketch.layer({test::ProblemSketch::w});
      sketch.node(
          {sketch.tensor(test::ProblemSketch::o, 0, 0), sketch.tensor(test::ProblemSketch::w, 64, 1), -1});
      core::CoreCost& cost = sketch.cost(core, 10);
      cost.streamed = {test::ProblemSketch::w};
      cost.stream_read_bits = streamed_bits;
    }
    core::Scheduler scheduler(sketch.problem(false));
    core::ScheduleChoice choice;
    choice.period = period;
    const bool feasible = scheduler.evaluate(choice).feasible;
    CHECK(feasible == scheduler.reason().empty());
    return scheduler.reason();
  };
  CHECK(reason(64, 10) == "");
  CHECK(reason(64, 9).find("repeats that begin every 9 cycles collide on core 1") == 0);
  // The off-chip link of 64 bits a cycle is busy for 20 cycles in each repeat.
  CHECK(reason(640, 20) == "");
  CHECK(reason(640, 15).find("repeats that begin every 15 cycles collide on link 2") == 0);
  CHECK(reason(640, 10).find("repeats that begin every 10 cycles collide on link 2") == 0);
}

TEST_CASE("steady state: a repeat waits until the memory has room beside the one before it") {
  // Core 0 hands 640 bits to core 1, which holds them for 10 cycles of transfer and 10 of work, with 64
  // bits of its own output. No core is busy for more than 10 cycles, and no link for more than 11.
  const auto handed_on = [](std::int64_t memory_bits, double period) {
    test::ProblemSketch sketch(2, 10'000);
    sketch.layer({test::ProblemSketch::w});
    const int passed = sketch.tensor(test::ProblemSketch::o, 640, 1);
    const int first = sketch.node({passed, sketch.tensor(test::ProblemSketch::w, 64, 1), -1}, 0, false);
    sketch.cost(0, 10);
    sketch.layer({test::ProblemSketch::w});
    const int second = sketch.node(
        {sketch.tensor(test::ProblemSketch::o, 64, 0), sketch.tensor(test::ProblemSketch::w, 64, 1), -1});
    sketch.cost(1, 10);
    sketch.edge(first, second, test::ProblemSketch::i, 640);
    for (core::TopMemory& memory : sketch.accelerator->top_memories)
      if (memory.cores == std::vector<int>{1}) memory.size = memory_bits;
    core::Scheduler scheduler(sketch.problem(false));
    core::ScheduleChoice choice;
    choice.period = period;
    const core::ScheduleFigures figures = scheduler.evaluate(choice);
    if (figures.feasible) CHECK(told(scheduler.schedule(choice)) == "");
    return std::pair(figures.feasible ? figures.period : 0, scheduler.reason());
  };
  constexpr double least = core::ScheduleChoice::least_period;
  CHECK(handed_on(10'000, least).first == 11);
  CHECK(handed_on(2 * 640 + 64, least).first == 11);
  CHECK(handed_on(2 * 640 + 63, least).first == 20);
  CHECK(handed_on(640 + 64, least).first == 20);
  CHECK(handed_on(640 + 64, 20).first == 20);
  CHECK(handed_on(640 + 64, 19)
            .second.find("repeats that begin every 19 cycles collide in memory 'A' of core 1 (704 bits)") ==
        0);
}

TEST_CASE("steady state: the reason is that of the choice at hand") {
  // The node fits on core 0 alone; core 1 misses other things for each of two layers.
  test::ProblemSketch sketch(2, 640);
  for (const int bits : {320, 500}) {
    sketch.layer({test::ProblemSketch::w});
    const int weights = sketch.tensor(test::ProblemSketch::w, bits, 1);
    sketch.node({sketch.tensor(test::ProblemSketch::o, 64, 0), weights, -1});
    sketch.cost(0, 10);
    sketch.cost(1, 10);
  }
  for (core::TopMemory& memory : sketch.accelerator->top_memories)
    if (memory.cores == std::vector<int>{1}) memory.size = 400;
  const auto problem = sketch.problem(false);
  core::ScheduleChoice too_large, collides;
  too_large.cores = {0, 1};
  too_large.period = 1000;
  collides.cores = {0, 0};
  collides.period = 12;
  core::Scheduler scheduler(problem);
  CHECK(!scheduler.evaluate(too_large).feasible);
  const std::string reason = scheduler.reason();
  CHECK(reason.find("is larger than memory 'W' of core 1") != std::string::npos);
  CHECK(!scheduler.evaluate(collides).feasible);
  CHECK(scheduler.reason().find("collide on core 0") != std::string::npos);
  too_large.period = core::ScheduleChoice::least_period;
  CHECK(!scheduler.evaluate(too_large).feasible);
  core::ScheduleChoice other = collides;
  other.period = 1;
  CHECK(!scheduler.evaluate(other).feasible);
  too_large.period = 2000;
  CHECK(!scheduler.evaluate(too_large).feasible);
  CHECK(scheduler.reason() == reason);
}

TEST_CASE("steady state: a search for a period that is given finds the shortest repeat") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  const auto problem = small_cnn(shipped, 1, {{"OY", 4}});
  core::ScheduleSearchOptions options;
  options.method = core::SearchMethod::exhaustive;
  options.evaluation_limit = 100'000;
  options.order.period = core::ScheduleChoice::least_period;
  const double least = core::search_schedules(problem, options, test::on_threads(1)).best.latency;
  options.order.period = 2 * least;
  const core::ScheduleSearchResult found = core::search_schedules(problem, options, test::on_threads(1));
  REQUIRE(found.exhaustive);
  core::Scheduler scheduler(problem);
  double shortest = std::numeric_limits<double>::infinity(), longest = 0;
  test::for_each_choice(*problem, [&](core::ScheduleChoice choice) {
    if (choice.dispatch != core::DispatchRule::rank || choice.back_filling) return;
    choice.period = options.order.period;
    const core::ScheduleFigures figures = scheduler.evaluate(choice);
    if (!figures.feasible) return;
    shortest = std::min(shortest, figures.latency);
    longest = std::max(longest, figures.latency);
  });
  CHECK(shortest < longest);
  CHECK(found.front.back().latency == shortest);
  CHECK(found.bounds.latency.value <= shortest);
  CHECK(scheduler.schedule(found.front.back().choice).latency == shortest);
}

TEST_CASE("steady state: no choice of a small problem begins again sooner than its bound, at any period") {
  core::RandomNumbers random(11, 0);
  int problems = 0, tried = 0, tight = 0, shortened = 0;
  while (problems < test::daily(4, 60)) {
    const auto problem = test::random_problem(random).problem(false);
    double allocations = 1;
    for (const core::Gene& gene : problem->genes()) allocations *= static_cast<double>(gene.cores.size());
    if (allocations > 6) continue;  // there are six choices for each, and all periods for these
    CAPTURE(problems);
    const int before = tried;
    core::Scheduler scheduler(problem);
    double best = std::numeric_limits<double>::infinity(), bound = best;
    for (const bool stay : {false, true}) {
      test::for_each_choice(*problem, [&](core::ScheduleChoice choice) {
        if (stay) choice.resident = all_layers(*problem->graph());
        choice.period = core::ScheduleChoice::least_period;
        const core::ScheduleFigures alone = scheduler.evaluate(choice);
        if (!alone.feasible || alone.period > 100) return;
        const double of_choice = core::period_bound(*problem, scheduler.resident());
        double least = alone.period;
        for (double period = 1; period < least; ++period) {
          choice.period = period;
          if (scheduler.evaluate(choice).feasible) least = period;
        }
        ++tried;
        CHECK(least >= of_choice);
        shortened += least < alone.period ? 1 : 0;
        best = std::min(best, least);
        bound = std::min(bound, of_choice);
      });
    }
    problems += tried > before ? 1 : 0;
    tight += best < 1.01 * bound ? 1 : 0;
  }
  MESSAGE(tried, " choices, ", shortened, " of them shorter with a given period; the bound of ", tight,
          " problems is reached");
  CHECK(tried > 40);
  CHECK(shortened > 0);
  CHECK(tight > 0);
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
