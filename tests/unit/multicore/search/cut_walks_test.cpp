#include <algorithm>
#include <atomic>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/multicore/check/violations.hpp"
#include "core/multicore/search/schedule_search.hpp"
#include "tests/unit/worlds/searches.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz;

namespace {

core::ScheduleSearchResult search(const test::ShippedCase& shipped,
                                  const core::ScheduleSearchOptions& options, int threads = 1) {
  return core::search_schedules(shipped.workload, shipped.accelerator, options, test::default_answers(),
                                test::on_threads(threads));
}

core::ScheduleSearchOptions few(std::int64_t schedules) {
  core::ScheduleSearchOptions options;
  options.evaluation_limit = schedules;
  options.most_nodes = 200;
  return options;
}

constexpr double seconds_of_costs = 1000;

/// A search with a limit of time on a clock that no machine drives: a step takes a second, and the costs of
/// the menu a thousand.
core::ScheduleSearchResult search_by_time(const test::ShippedCase& shipped, double time_limit) {
  core::ScheduleSearchOptions options = few(0);
  double seconds = 0;
  std::int64_t made = 0;
  bool costed = false;
  options.time_limit = time_limit;
  options.clock = [&] { return seconds; };
  options.on_progress = [&](std::int64_t steps, double, double) {
    seconds += static_cast<double>(steps - made);
    made = steps;
  };
  const auto answer = [&, answers = test::default_answers()](
                          const std::vector<core::CoreCostQuestion>& questions,
                          std::vector<std::string>& reasons) {
    if (!std::exchange(costed, true)) seconds += seconds_of_costs;
    return answers(questions, reasons);
  };
  return core::search_schedules(shipped.workload, shipped.accelerator, options, answer,
                                test::on_threads(1));
}

}  // namespace

TEST_CASE("a limit leaves each phase of a search over cuts its share, be it of steps or of time") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  for (const std::int64_t limit : {40, 100}) {
    const core::ScheduleSearchResult counted = search(shipped, few(limit));
    CHECK(counted.steps.uniform > 0);
    CHECK(counted.steps.spread > 0);
    CHECK(counted.steps.walks > 0);
    // The phases share what the costs of the menu leave.
    const core::ScheduleSearchResult timed =
        search_by_time(shipped, seconds_of_costs + static_cast<double>(limit));
    CHECK(timed.steps.uniform == counted.steps.uniform);
    CHECK(timed.steps.spread == counted.steps.spread);
    CHECK(timed.steps.walks == counted.steps.walks);
    CHECK(timed.best.latency == counted.best.latency);
  }
}

TEST_CASE("a limit of time that the costs of cuts take whole leaves the schedule of whole layers") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  const core::ScheduleSearchResult found = search_by_time(shipped, seconds_of_costs / 2);
  CHECK(found.steps.all() == 0);
  CHECK(found.bounds.latency.value > 0);
  CHECK(found.bounds.latency.value <= found.best.latency);
  CHECK(found.best.problem->graph()->nodes.size() == shipped.workload.layers.size());
  CHECK(core::find_violations(core::Scheduler(found.best.problem).schedule(found.best.choice), 3).empty());
}

TEST_CASE("a limit of time that ends the costs of other cuts leaves the first schedule and its bounds") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  core::ScheduleSearchOptions options = few(0);
  options.time_limit = 1000;
  int calls = 0;
  const auto answer = [&, answers = test::default_answers()](
                          const std::vector<core::CoreCostQuestion>& questions,
                          std::vector<std::string>& reasons) {
    if (++calls > 1) throw core::Interrupted();  // as when the time is over
    return answers(questions, reasons);
  };
  const core::ScheduleSearchResult found =
      core::search_schedules(shipped.workload, shipped.accelerator, options, answer, test::on_threads(1));
  CHECK(found.only_first_cuts);
  CHECK(found.cuts == static_cast<std::int64_t>(shipped.workload.layers.size()));
  CHECK(found.bounds.latency.value > 0);
  CHECK(found.bounds.latency.value <= found.best.latency);
  CHECK(found.bounds.energy.value <= found.best.energy);
  // With another partition to begin with, that is the first.
  options.start = search(shipped, few(40)).best.cuts;
  calls = 0;
  const core::ScheduleSearchResult started =
      core::search_schedules(shipped.workload, shipped.accelerator, options, answer, test::on_threads(1));
  CHECK(started.only_first_cuts);
  CHECK(started.best.cuts == options.start);
}

TEST_CASE("a limit of time ends what a search over cuts waits for, too") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  core::ScheduleSearchOptions options = few(0);
  options.time_limit = 0.01;
  // Costs that take as long as one lets them.
  const auto answer =
      [](const std::vector<core::CoreCostQuestion>&,
         std::vector<std::string>&) -> std::vector<std::shared_ptr<const core::Evaluation>> {
    for (;;) core::end_if_interrupted();
  };
  CHECK_THROWS_WITH_AS(
      core::search_schedules(shipped.workload, shipped.accelerator, options, answer, test::on_threads(1)),
      doctest::Contains("before its first schedule was made: 0 costs of whole layers are known"),
      core::NotFound);
  CHECK_FALSE(core::interruption_requested());
}

TEST_CASE(
    "an interrupted search over cuts hands on what it has, and a run that it has not is interrupted") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  std::atomic<bool> run{false};
  const core::InterruptedBy interrupted({.run = &run});
  core::ScheduleSearchOptions options = few(1'000'000'000);
  options.on_progress = [&](std::int64_t steps, double, double) { run = steps > 100; };
  CHECK_THROWS_AS(search(shipped, options), core::Interrupted);
  run = false;
  bool told = false;
  options.on_interruption = [&] {
    told = true;
    run = false;
  };
  CHECK(search(shipped, options).steps.all() > 100);
  CHECK(told);
}

TEST_CASE("a search over cuts is never worse than the cuts that it begins with") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  for (const core::Objective objective :
       {core::Objective::latency, core::Objective::energy, core::Objective::edp}) {
    core::ScheduleSearchOptions options = few(test::daily(40, 400));
    options.objective = objective;
    const core::ScheduleSearchResult found = search(shipped, options);
    const double value = core::value_of(objective, found.best.energy, found.best.latency);
    CHECK(value <= found.best_uniform);
    for (const core::FoundSchedule& point : found.front)
      CHECK(value <= core::value_of(objective, point.energy, point.latency));
    // The winner as a start: another search, of few steps, is not worse.
    core::ScheduleSearchOptions again = few(8);
    again.objective = objective;
    again.start = found.best.cuts;
    again.start_choice = [&](const core::ScheduleProblem&) { return found.best.choice; };
    const core::ScheduleSearchResult next = search(shipped, again);
    CHECK(core::value_of(objective, next.best.energy, next.best.latency) <= value);
  }
}

TEST_CASE("on unlike cores a search of few steps is no worse than whole layers on their best cores") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  const core::ScheduleSearchResult few_steps = search(shipped, few(20));
  core::ScheduleSearchOptions whole = few(0);
  whole.method = core::SearchMethod::exhaustive;
  const auto uncut = core::search_schedules(shipped.workload, shipped.accelerator, few(1),
                                            test::default_answers(), test::on_threads(1));
  REQUIRE(uncut.best.problem->graph()->nodes.size() == shipped.workload.layers.size());
  const core::ScheduleSearchResult best =
      core::search_schedules(uncut.best.problem, whole, test::on_threads(1));
  REQUIRE(best.exhaustive);
  CHECK(few_steps.best.latency <= best.best.latency);
}

TEST_CASE("in the steady state few steps come near the work of the cores, with any seed") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  for (const std::uint64_t seed : {0, 2}) {
    for (const bool resident : {false, true}) {
      CAPTURE(seed);
      CAPTURE(resident);
      core::ScheduleSearchOptions options = few(200);
      options.seed = seed;
      options.steady_state = true;
      options.resident = resident;
      const core::ScheduleSearchResult result = search(shipped, options);
      CHECK(result.best.latency < 1.2 * result.bounds.latency.value);
    }
  }
}

TEST_CASE("what a search over cuts found can be scheduled again, and is sound") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  const core::ScheduleSearchResult found = search(shipped, few(test::daily(100, 300)));
  CHECK(std::is_sorted(found.front.begin(), found.front.end(),
                       [](const auto& a, const auto& b) { return a.energy < b.energy; }));
  for (const core::FoundSchedule& point : found.front) {
    const core::Schedule schedule = core::Scheduler(point.problem).schedule(point.choice);
    CHECK(schedule.latency == point.latency);
    CHECK(schedule.energy == doctest::Approx(point.energy).epsilon(1e-12));
    CHECK(core::find_violations(schedule, 3).empty());
    CHECK(point.problem->graph()->nodes.size() <= 200);
  }
}

TEST_CASE("a search over cuts gives the same on any number of threads") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  const core::ScheduleSearchOptions options = few(test::daily(100, 300));
  const core::ScheduleSearchResult one = search(shipped, options), eight = search(shipped, options, 8);
  CHECK(one.best.cuts == eight.best.cuts);
  CHECK(one.best.choice == eight.best.choice);
  CHECK(one.best.latency == eight.best.latency);
  CHECK(one.best.energy == eight.best.energy);
  CHECK(one.schedules == eight.schedules);
  CHECK(one.front.size() == eight.front.size());
}

TEST_CASE("named loops only are cut by a search") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  core::ScheduleSearchOptions options = few(100);
  options.dimensions = {"OY"};
  for (const core::CutEntry& hints : search(shipped, options).best.cuts)
    for (const core::CutLoop& loop : hints.loops) CHECK(loop.dimension == "OY");
}

TEST_CASE("a search over cuts keeps to the limit of nodes, also where it spreads layers") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  core::ScheduleSearchOptions options = few(test::daily(150, 400));
  options.most_nodes = 60;
  for (const core::FoundSchedule& point : search(shipped, options).front)
    CHECK(point.problem->graph()->nodes.size() <= 60);
}

TEST_CASE("a start that leaves a layer out, or names a loop that no layer has, is refused") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  core::ScheduleSearchOptions options = few(10);
  options.start = {{{0}, {{"OY", 4}}}};
  CHECK_THROWS_WITH_AS(search(shipped, options), doctest::Contains("'start' has no hint loops for layer"),
                       core::InputError);
  options.start = {{shipped.workload.node_order, {{"QQ", 4}}}};
  CHECK_THROWS_WITH_AS(search(shipped, options), doctest::Contains("'QQ'"), core::InputError);
}

namespace {

/// Answers, and how many were asked.
struct CountedAnswers {
  std::int64_t* asked;
  core::AnswerQuestions answers = test::default_answers();

  std::vector<std::shared_ptr<const core::Evaluation>> operator()(
      const std::vector<core::CoreCostQuestion>& questions, std::vector<std::string>& reasons) const {
    *asked += static_cast<std::int64_t>(questions.size());
    return answers(questions, reasons);
  }
};

/// Mappings of a single order of the loops, and as floors a share of what the best one costs. Some
/// questions have no first answer.
core::FirstAnswers poor_answers(double floor) {
  return [floor](const std::vector<core::CoreCostQuestion>& questions) {
    std::vector<std::optional<core::FirstAnswer>> answers;
    for (const core::CoreCostQuestion& question : questions) {
      const auto found = test::known_answer(question, 1), best = test::known_answer(question, 4);
      const bool none = !found || !best || question.layer->mac_count() % 5 == 0;
      answers.push_back(none ? std::nullopt
                             : std::optional(core::FirstAnswer{found, floor * best->latency_total1,
                                                               floor * best->energy_total}));
    }
    return answers;
  };
}

}  // namespace

TEST_CASE("a search over cuts that begins with first answers asks the others for what it hands on alone") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  for (const core::Objective objective : {core::Objective::latency, core::Objective::energy}) {
    core::ScheduleSearchOptions options = few(80);
    options.objective = objective;
    std::int64_t asked_all = 0, asked = 0;
    const auto find = [&](std::int64_t& count, int threads) {
      return core::search_schedules(shipped.workload, shipped.accelerator, options, CountedAnswers{&count},
                                    test::on_threads(threads));
    };
    const core::ScheduleSearchResult all = find(asked_all, 1);
    options.first_answers = poor_answers(0.9);
    const core::ScheduleSearchResult found = find(asked, 1);
    CHECK(3 * asked < 2 * asked_all);
    // Costs are those of the answers themselves.
    for (const core::FoundSchedule& point : found.front) {
      const core::ScheduleProblem& problem = *point.problem;
      core::CoreCostPlan plan(shipped.accelerator, problem.graph(), {});
      std::vector<std::string> reasons;
      const core::CoreCosts costs = plan.costs(test::default_answers()(plan.questions(), reasons));
      for (std::size_t layer = 0; layer < costs.layers.size(); ++layer)
        for (const core::CoreCost& cost : costs.layers[layer].on) {
          const core::CoreCost* used = problem.costs()->find(static_cast<int>(layer), 0, cost.core);
          REQUIRE(used != nullptr);
          CHECK(used->runtime == cost.runtime);
          CHECK(used->onchip_energy == doctest::Approx(cost.onchip_energy));
        }
      CHECK(core::find_violations(core::Scheduler(point.problem).schedule(point.choice), 3).empty());
      CHECK(found.bounds.latency.value <= point.latency);
      CHECK(found.bounds.energy.value <= point.energy);
    }
    // Bounds say no more than is known.
    CHECK(found.bounds.latency.value <= all.bounds.latency.value);
    CHECK(found.bounds.energy.value <= all.bounds.energy.value * (1 + 1e-9));
    CHECK(found.bounds.energy.value > 0.5 * all.bounds.energy.value);
    const core::ScheduleSearchResult threaded = find(asked, 3);
    CHECK(threaded.best.latency == found.best.latency);
    CHECK(threaded.best.energy == found.best.energy);
    CHECK(threaded.bounds.energy.value == found.bounds.energy.value);
  }
}

TEST_CASE("first answers that are the answers lead to the same search") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  core::ScheduleSearchOptions options = few(100);
  const core::ScheduleSearchResult all = search(shipped, options);
  options.first_answers = [](const std::vector<core::CoreCostQuestion>& questions) {
    return std::vector<std::optional<core::FirstAnswer>>(questions.size());
  };
  const core::ScheduleSearchResult same = search(shipped, options);
  CHECK(same.best.latency == all.best.latency);
  CHECK(same.best.energy == all.best.energy);
  CHECK(same.bounds.latency.value == all.bounds.latency.value);
  CHECK(same.steps.all() == all.steps.all());
}

TEST_CASE("an interruption while first answers are being settled loses no schedule that they led to") {
  const test::ShippedCase shipped("small_cnn.yaml", "heterogeneous_dual_core");
  core::ScheduleSearchOptions options = few(80);
  options.first_answers = poor_answers(0.9);
  std::atomic<bool> ended = false;
  core::Interruption until_ended;
  until_ended.run = &ended;
  const core::InterruptedBy by(until_ended);
  bool interrupted = false;
  std::int64_t made = 0;
  double best_so_far = 0;
  options.on_progress = [&](std::int64_t steps, double best, double) {
    made = steps;
    best_so_far = best;
  };
  options.on_interruption = [&] { ended = false; };
  const auto answer = [&, answers = test::default_answers()](
                          const std::vector<core::CoreCostQuestion>& questions,
                          std::vector<std::string>& reasons) {
    if (made > 40 && !std::exchange(interrupted, true)) {
      ended = true;
      throw core::Interrupted();
    }
    return answers(questions, reasons);
  };
  const core::ScheduleSearchResult found =
      core::search_schedules(shipped.workload, shipped.accelerator, options, answer, test::on_threads(1));
  CHECK(interrupted);
  // Answers are better than first ones.
  CHECK(found.best.latency <= best_so_far);
}
