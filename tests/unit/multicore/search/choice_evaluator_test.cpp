#include "core/multicore/search/detail/choice_evaluator.hpp"

#include <atomic>
#include <doctest/doctest.h>
#include <thread>

#include "core/base/interruption.hpp"
#include "tests/unit/worlds/searches.hpp"

using namespace zz::core;
using zz::test::on_threads;

namespace {

/// Latency is the number that the genes spell; what spells a multiple of ten does not fit.
ScheduleFigures spell(const ScheduleChoice& choice, std::string* reason) {
  double number = 0;
  for (const int core : choice.cores) number = 10 * number + core;
  if (static_cast<int>(number) % 10 == 0) {
    *reason = "ends with 0: " + std::to_string(static_cast<int>(number));
    return {};
  }
  return {true, number, 1000 / number};
}

std::vector<ScheduleChoice> choices(std::vector<std::vector<int>> genomes) {
  std::vector<ScheduleChoice> list;
  for (std::vector<int>& cores : genomes) list.emplace_back().cores = std::move(cores);
  return list;
}

}  // namespace

TEST_CASE("choices are evaluated once, in any number of threads with the same result") {
  for (const int threads : {1, 2, 4}) {
    std::atomic<int> calls = 0;
    const auto make = [&]() -> EvaluateChoice {
      return [&](const ScheduleChoice& choice, std::string* reason) {
        ++calls;
        return spell(choice, reason);
      };
    };
    ChoiceEvaluator evaluator(make, CoreSymmetry(), on_threads(threads), {});
    std::vector<ScheduleChoice> batch = choices({{3}, {5}, {3}, {2, 0}, {1, 0}});
    const std::vector<ScheduleFigures> figures = evaluator.evaluate(batch);
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
    batch[0].back_filling = true;  // another schedule
    CHECK_FALSE(evaluator.known(batch[0]));
  }
}

TEST_CASE("a limit of evaluations cuts a batch in its order") {
  ChoiceEvaluator evaluator([] { return spell; }, CoreSymmetry(), on_threads(2), {3, 0});
  std::vector<ScheduleChoice> batch = choices({{7}, {7}, {8}, {6}, {5}, {8}});
  const std::vector<ScheduleFigures> figures = evaluator.evaluate(batch);
  CHECK_EQ(figures[3].latency, 6);
  CHECK_FALSE(figures[4].feasible);
  CHECK_EQ(figures[5].latency, 8);
  CHECK_EQ(evaluator.evaluations(), 3);
  CHECK_EQ(evaluator.infeasible(), 0);
  CHECK(evaluator.exhausted());
}

TEST_CASE("an interruption ends the evaluation, and what it cut off is not evaluated") {
  // The second schedule takes as long as one lets it.
  const auto make = [] {
    return [](const ScheduleChoice& choice, std::string* reason) {
      while (choice.cores.front() == 2) end_if_interrupted();
      return spell(choice, reason);
    };
  };
  const Deadline deadline(0.05);
  ChoiceEvaluator evaluator(make, CoreSymmetry(), on_threads(1), {});
  CHECK_FALSE(evaluator.exhausted());
  std::vector<ScheduleChoice> batch = choices({{1}, {2}, {3}});
  const std::vector<ScheduleFigures> figures = evaluator.evaluate(batch);
  CHECK_EQ(figures[0].latency, 1);
  CHECK_FALSE(figures[1].feasible);
  CHECK_EQ(evaluator.evaluations(), 1);
  CHECK_EQ(evaluator.infeasible(), 0);
  CHECK_FALSE(evaluator.known(batch[1]));
  CHECK(evaluator.exhausted());
}
