#include "core/multicore/search/detail/allocation_estimate.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "core/search/methods/random_numbers.hpp"
#include "tests/unit/worlds/recorded_schedules.hpp"
#include "tests/unit/worlds/schedules.hpp"

namespace zz::test {
namespace {

using namespace core;

std::vector<int> random_allocation(const ScheduleProblem& problem, RandomNumbers& random) {
  std::vector<int> cores;
  for (const Gene& gene : problem.genes())
    cores.push_back(gene.cores[random.below(static_cast<int>(gene.cores.size()))]);
  return cores;
}

/// The share of pairs that differ in one figure that `guess` puts in the order of `truth`.
double agreement(const std::vector<double>& guess, const std::vector<double>& truth) {
  int alike = 0, pairs = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (truth[i] == truth[j]) continue;
      ++pairs;
      alike += (guess[i] < guess[j]) == (truth[i] < truth[j]) && guess[i] != guess[j];
    }
  }
  return static_cast<double>(alike) / pairs;
}

}  // namespace

TEST_CASE("estimate: where nothing waits for a link, it is the schedule") {
  TinySchedule parts;
  const auto problem =
      std::make_shared<ScheduleProblem>(parts.accelerator, parts.graph, parts.costs, ScheduleOptions());
  Scheduler scheduler(problem);
  AllocationEstimate estimate(problem);
  for (const std::vector<int>& cores : std::vector<std::vector<int>>{{0, 0}, {0, 1}, {1, 1}}) {
    ScheduleChoice choice;
    choice.cores = cores;
    const ScheduleFigures figures = scheduler.evaluate(choice), guess = estimate.estimate(cores);
    REQUIRE(figures.feasible);
    CHECK_EQ(guess.energy, doctest::Approx(figures.energy));
    CHECK_EQ(guess.latency, doctest::Approx(figures.latency).epsilon(0.1));
  }
}

TEST_CASE("estimate: ranks allocations of recorded problems as their schedules do") {
  if (recorded_case_names().empty()) return;
  for (const char* name : {"fsrcnn_oy14", "resnet18_bus_oy4", "resnet18_fused_oy_all", "resnet18_mode4"}) {
    const RecordedCase recorded = recorded_case_of_schedules(name);
    for (const bool compat : {false, true}) {
      CAPTURE(name);
      CAPTURE(compat);
      const auto problem = recorded.problem(compat);
      Scheduler scheduler(problem);
      AllocationEstimate estimate(problem);
      RandomNumbers random(7, 0);
      std::vector<double> energies, latencies, guessed_energies, guessed_latencies;
      for (int i = 0; i < 40; ++i) {
        ScheduleChoice choice;
        choice.cores = random_allocation(*problem, random);
        const ScheduleFigures figures = scheduler.evaluate(choice), guess = estimate.estimate(choice.cores);
        REQUIRE(figures.feasible);
        // Estimates do not know that evicted tensors wait with other cores, which takes less.
        CHECK_EQ(guess.energy, doctest::Approx(figures.energy).epsilon(compat ? 0.02 : 0.06));
        energies.push_back(figures.energy);
        latencies.push_back(figures.latency);
        guessed_energies.push_back(guess.energy);
        guessed_latencies.push_back(guess.latency);
      }
      CHECK_GE(agreement(guessed_energies, energies), compat ? 0.95 : 0.94);
      CHECK_GE(agreement(guessed_latencies, latencies), 0.75);
    }
  }
}

}  // namespace zz::test
