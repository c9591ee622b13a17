#include "core/multicore/search/detail/plan_evaluator.hpp"

#include <atomic>
#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/interruption.hpp"
#include "tests/unit/worlds/searches.hpp"

using namespace zz::core;
using zz::test::on_threads;

namespace {

/// Latency is the number that the cores spell; what spells a multiple of ten does not fit.
PlanFigures spell(const Plan& plan, double, std::string& reason) {
  double number = 0;
  for (const int core : plan.cores.front()) number = 10 * number + core;
  PlanFigures figures;
  figures.scheduled = true;
  if (static_cast<int>(number) % 10 == 0)
    reason = "ends with 0: " + std::to_string(static_cast<int>(number));
  else
    static_cast<ScheduleFigures&>(figures) = {true, number, 1000 / number};
  return figures;
}

std::vector<Plan> plans_of(const std::vector<std::vector<int>>& genomes) {
  std::vector<Plan> plans;
  for (const std::vector<int>& cores : genomes) plans.push_back(plan_of(cores));
  return plans;
}

PlanEvaluator::Prepare given(std::function<EvaluatePlan()> make) {
  return given_cuts(nullptr, std::move(make));
}

}  // namespace

TEST_CASE("plans are evaluated once, in any number of threads with the same result") {
  for (const int threads : {1, 2, 4}) {
    std::atomic<int> calls = 0;
    const auto make = [&]() -> EvaluatePlan {
      return [&](const Plan& plan, double wanted_below, std::string& reason) {
        ++calls;
        return spell(plan, wanted_below, reason);
      };
    };
    PlanEvaluator evaluator(given(make), on_threads(threads));
    std::vector<Plan> batch = plans_of({{3}, {5}, {3}, {2, 0}, {1, 0}});
    const std::vector<PlanFigures> figures = evaluator.evaluate(batch);
    CHECK_EQ(figures[0].latency, 3);
    CHECK_EQ(figures[2].latency, 3);
    CHECK_FALSE(figures[3].feasible);
    CHECK_EQ(evaluator.reason(), "ends with 0: 20");
    evaluator.evaluate(batch);
    CHECK_EQ(calls, 4);
    CHECK_EQ(evaluator.evaluations(), 4);
    CHECK_EQ(evaluator.infeasible(), 2);
    CHECK_EQ(evaluator.front().points().size(), 2);
    CHECK(evaluator.known(batch[0]));
    batch[0].order.back_filling = true;  // another schedule
    CHECK_FALSE(evaluator.known(batch[0]));
  }
}

TEST_CASE("plans that only exchange cores are one") {
  PlanEvaluator evaluator(given([] { return spell; }), on_threads(2), {}, [](Plan& plan) {
    if (plan.cores.front().front() == 2) plan.cores.front().front() = 1;
  });
  std::vector<Plan> batch = plans_of({{2, 3}, {1, 3}});
  const std::vector<PlanFigures> figures = evaluator.evaluate(batch);
  CHECK_EQ(figures[0].latency, 13);
  CHECK_EQ(evaluator.evaluations(), 1);
  CHECK(batch[0] == batch[1]);
}

TEST_CASE("a limit of evaluations cuts a batch in its order") {
  PlanEvaluator evaluator(given([] { return spell; }), on_threads(2), {3, 0});
  std::vector<Plan> batch = plans_of({{7}, {7}, {8}, {6}, {5}, {8}});
  const std::vector<PlanFigures> figures = evaluator.evaluate(batch);
  CHECK_EQ(figures[3].latency, 6);
  CHECK_FALSE(figures[4].feasible);
  CHECK_EQ(figures[5].latency, 8);
  CHECK_EQ(evaluator.evaluations(), 3);
  CHECK_EQ(evaluator.infeasible(), 0);
  CHECK(evaluator.exhausted());
}

TEST_CASE("figures that depend on what was wanted are of their task alone") {
  int calls = 0;
  const auto make = [&]() -> EvaluatePlan {
    return [&](const Plan& plan, double wanted_below, std::string& reason) {
      ++calls;
      PlanFigures figures = spell(plan, wanted_below, reason);
      if (figures.latency < wanted_below) return figures;
      figures = {};
      figures.final = false;
      return figures;
    };
  };
  PlanEvaluator evaluator(given(make), on_threads(1));
  std::vector<Plan> plans = plans_of({{7}, {7}, {7}});
  std::vector<PlanTask> tasks(3);
  for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i].plan = &plans[i];
  tasks[0].wanted_below = 7;
  evaluator.evaluate(tasks);
  CHECK(tasks[0].done);
  CHECK_FALSE(tasks[0].figures.feasible);
  CHECK_EQ(tasks[1].figures.latency, 7);
  CHECK_EQ(tasks[2].figures.latency, 7);
  CHECK_EQ(calls, 2);
  CHECK_EQ(evaluator.evaluations(), 1);
}

TEST_CASE("when there are too many, all plans are forgotten, and the front stays") {
  PlanEvaluator evaluator(given([] { return spell; }), on_threads(1), {0, 0, 1});
  std::vector<Plan> one = plans_of({{7}}), other = plans_of({{8}});
  evaluator.evaluate(one);
  CHECK(evaluator.known(one[0]));
  evaluator.evaluate(other);
  CHECK_FALSE(evaluator.known(one[0]));
  CHECK_EQ(evaluator.front().points().size(), 2);
  CHECK(evaluator.front().points()[1].choice.plan == one[0]);
}

TEST_CASE("an interruption ends the evaluation, and what it cut off is not evaluated") {
  // The second schedule takes as long as one lets it.
  const auto make = [] {
    return [](const Plan& plan, double wanted_below, std::string& reason) {
      while (plan.cores.front().front() == 2) end_if_interrupted();
      return spell(plan, wanted_below, reason);
    };
  };
  const Deadline deadline(0.05);
  PlanEvaluator evaluator(given(make), on_threads(1));
  CHECK_FALSE(evaluator.exhausted());
  std::vector<Plan> batch = plans_of({{1}, {2}, {3}});
  const std::vector<PlanFigures> figures = evaluator.evaluate(batch);
  CHECK_EQ(figures[0].latency, 1);
  CHECK_FALSE(figures[1].feasible);
  CHECK_EQ(evaluator.evaluations(), 1);
  CHECK_EQ(evaluator.infeasible(), 0);
  CHECK_FALSE(evaluator.known(batch[1]));
  CHECK(evaluator.exhausted());
}
