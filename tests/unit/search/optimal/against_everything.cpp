#include "tests/unit/search/optimal/against_everything.hpp"

#include <doctest/doctest.h>
#include <limits>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/detail/latency_proof.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "tests/unit/search/optimal/brute_force.hpp"

namespace zz::test {

using namespace zz::core;

namespace {

/// With the bounds of long searches from the start, and capacity split to the end.
void check_closely(const SearchProblem& tables, const Goal& goal, const Certificate& start,
                   double least_energy, double least, Tally& tally) {
  SearchPace pace;
  pace.labels_at_once = 1;
  pace.before_branching = 0;
  const Certificate found = find_least_latency(tables, goal, start, least_energy, {}, pace);
  ++tally.feasible;
  CHECK(found.lower_bound <= least * (1 + 1e-9));
  CHECK(found.value >= least * (1 - 1e-9));
  if (found.gap() == 0) ++tally.proven;
  // Split by class as soon as that helps, with each label a turn.
  pace.before_classes = 0;
  pace.before_branching = 1024;
  const Certificate by_class = find_least_latency(tables, goal, start, least_energy, {}, pace);
  CHECK(by_class.lower_bound <= least * (1 + 1e-9));
  CHECK(by_class.value >= least * (1 - 1e-9));
}

}  // namespace

void check_against_everything(const MappingProblem& problem, Tally& tally) {
  const BruteForce everything = try_everything(problem);
  for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp}) {
    CAPTURE(static_cast<int>(objective));
    const double least = everything.least[static_cast<int>(objective)];
    if (least == std::numeric_limits<double>::infinity()) {
      CHECK_THROWS_AS(find_optimal_mapping(problem, {.objective = objective}), NoResult);
      continue;
    }
    const Certificate best = find_optimal_mapping(problem, {.objective = objective});
    CHECK(best.value == doctest::Approx(least).epsilon(1e-9));
    // Large problems, where nothing can be enumerated, need these searches.
    const SearchProblem tables(problem);
    const Certificate energy = find_least_energy(tables, {});
    Certificate found = energy;
    if (objective != Objective::energy) {
      Certificate start = found;
      start.value = tables.value(start.mapping, objective);
      const double least_energy = found.lower_bound;
      found = find_least_latency(tables, objective, start, least_energy, {});
      if (objective == Objective::edp) check_closely(tables, objective, start, least_energy, least, tally);
    }
    ++tally.feasible;
    CHECK(found.lower_bound <= least * (1 + 1e-9));
    CHECK(found.value >= least * (1 - 1e-9));
    if (found.gap() == 0) ++tally.proven;
    if (objective == Objective::energy) CHECK(found.value == doctest::Approx(least).epsilon(1e-9));
    if (objective == Objective::edp) continue;

    const double second = everything.second[static_cast<int>(objective)];
    const bool by_energy = objective == Objective::energy;
    CHECK(best.second_bound <= second * (1 + 1e-9));
    CHECK(tables.value(best.mapping, by_energy ? Objective::latency : Objective::energy) >=
          second * (1 - 1e-9));
    Goal goal = by_energy ? Objective::latency : Objective::energy;
    (by_energy ? goal.most_energy : goal.most_latency) = least * (1 + 1e-9);
    Certificate start;
    start.mapping = best.mapping;
    start.value = tables.value(best.mapping, goal);
    const Certificate tie = find_least_latency(tables, goal, start, energy.lower_bound, {});
    ++tally.feasible;
    CHECK(tie.lower_bound <= second * (1 + 1e-9));
    CHECK(tie.value >= second * (1 - 1e-9));
    if (tie.gap() == 0) ++tally.proven;
  }
}

}  // namespace zz::test
