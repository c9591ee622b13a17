#include "core/search/optimal/optimal_temporal_mapping.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/cost/port_load.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/detail/latency_proof.hpp"
#include "tests/unit/search/optimal/against_everything.hpp"
#include "tests/unit/search/optimal/brute_force.hpp"
#include "tests/unit/search/optimal/random_problems.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

double best_of_loma(const MappingProblem& problem, Objective objective) {
  const SearchProblem tables(problem);
  double best = std::numeric_limits<double>::infinity();
  for (int limit = 1; limit <= 20; ++limit) {
    Loma orders(problem.layer, problem.accelerator, problem.fractional,
                {.factor_limit = limit, .rules = problem.options.rules});
    CompactMappings batch;
    while (!orders.finished()) {
      orders.next(batch, 256);
      for (const CompactMapping& row : batch.rows) best = std::min(best, tables.value(row, objective));
    }
  }
  return best;
}

void check_random_problems(std::uint32_t first, std::uint32_t end) {
  Tally tally;
  for (std::uint32_t seed = first; seed < end; ++seed) {
    CAPTURE(seed);
    const MappingProblem problem = random_problem(seed);
    CAPTURE(problem.options.rules.loading_below_minimum);
    check_against_everything(problem, tally);
  }
  CHECK(tally.proven == tally.feasible);
}

/// Each key of the array alone, and both. How many values were found.
int check_array_keys(std::uint32_t first, std::uint32_t end) {
  Tally tally;
  for (std::uint32_t seed = first; seed < end; ++seed) {
    CAPTURE(seed);
    for (const ArrayKeys keys : {ArrayKeys::fold, ArrayKeys::instruction, ArrayKeys::both}) {
      CAPTURE(static_cast<int>(keys));
      const MappingProblem problem = seed % 2 ? random_problem(seed) : problem_with_uneven_rounds(seed);
      check_against_everything(with_array_keys(problem, keys, seed), tally);
    }
  }
  CHECK(tally.proven == tally.feasible);
  return tally.feasible;
}

}  // namespace

TEST_CASE("optimum: what is proven best is best of everything that can be enumerated") {
  check_random_problems(0, daily(4U, 16U));
}

TEST_CASE("optimum: the best where rounds are not all full, and sums wait in memories and for adders") {
  Tally tally;
  for (std::uint32_t seed = 0; seed < 24; ++seed) {
    CAPTURE(seed);
    check_against_everything(problem_with_uneven_rounds(seed), tally);
  }
  CHECK(tally.proven == tally.feasible);
  CHECK(tally.feasible > 60);
}

TEST_CASE("optimum: the best where the array fills and drains, or works in blocks of rows") {
  CHECK(check_array_keys(0, daily(3U, 12U)) > daily(20, 90));
}

// Slow: CTest runs it as "unit-slow/best of everything with array keys".
TEST_CASE("optimum: the best of everything with array keys, many problems" * doctest::skip()) {
  check_array_keys(12, 120);
}

// Equals are rare unless accesses to some memory cost nothing. In these problems the search meets another
// one first.
TEST_CASE("optimum: of equals in energy and latency the one whose ports are least busy") {
  for (const std::uint32_t seed : {111, 125, 193}) {
    CAPTURE(seed);
    MappingProblem problem = random_problem(seed);
    Accelerator accelerator = *problem.accelerator;
    Memory& free = accelerator.memories[seed / 4 % accelerator.memories.size()];
    free.read_cost = free.write_cost = 0;
    problem.accelerator = std::make_shared<const Accelerator>(std::move(accelerator));
    const Objective objective = seed == 193 ? Objective::energy : Objective::latency;
    const BruteForce everything = try_everything(problem);
    const auto at = static_cast<std::size_t>(objective);
    CHECK(everything.least_busy[at] < everything.most_busy[at]);
    const Certificate best = find_optimal_mapping(problem, {.objective = objective});
    CHECK(best.value == doctest::Approx(everything.least[at]).epsilon(1e-9));
    std::vector<double> busy = busy_cycles(model_of(problem), best.mapping);
    std::sort(busy.begin(), busy.end(), std::greater<>());
    CHECK(busy == everything.least_busy[at]);
  }
}

// With the usual pace, thousands of partial mappings go by before a subproblem is split by fill classes. In
// some of these problems, the best mapping is in such a child.
TEST_CASE("optimum: what is split by what the lowest memories hold keeps its best mapping") {
  const SearchPace impatient = {.labels_at_once = 4, .before_dive = 8, .before_classes = 4};
  Tally tally;
  for (const std::uint32_t seed : {9, 31, 42, 84, 192, 194}) {
    CAPTURE(seed);
    const SearchProblem problem(problem_with_uneven_ports(seed));
    const Certificate energy = find_least_energy(problem, {});
    if (!energy.found()) continue;
    for (const Objective objective : {Objective::latency, Objective::edp}) {
      CAPTURE(static_cast<int>(objective));
      Certificate start = energy;
      start.value = problem.value(start.mapping, objective);
      const Certificate patient = find_least_latency(problem, objective, start, energy.lower_bound, {});
      const Certificate found =
          find_least_latency(problem, objective, start, energy.lower_bound, {}, impatient);
      ++tally.feasible;
      CHECK(found.value == doctest::Approx(patient.value).epsilon(1e-9));
      if (found.gap() == 0) ++tally.proven;
    }
  }
  CHECK(tally.proven == tally.feasible);
}

// Slow: CTest runs it as "unit-slow/best of everything".
TEST_CASE("optimum: best of everything that can be enumerated, many problems" * doctest::skip()) {
  check_random_problems(16, 60);
}

TEST_CASE("optimum: the best within a limit, and none where nothing keeps it") {
  int between = 0;
  for (std::uint32_t seed = 0; seed < daily(4U, 12U); ++seed) {
    CAPTURE(seed);
    const MappingProblem problem = random_problem(seed);
    const BruteForce everything = try_everything(problem);
    const double least = everything.least[1];
    if (least == infinite) continue;
    for (const double limit : {least, std::floor((least + everything.second[0]) / 2)}) {
      CAPTURE(limit);
      const MappingLimits within{.most_latency = limit};
      const double expected = try_everything(problem, within).least[0];
      const Certificate found =
          find_optimal_mapping(problem, {.objective = Objective::energy, .allowed = within});
      CHECK(found.value == doctest::Approx(expected).epsilon(1e-9));
      CHECK(found.gap() == 0);
      if (expected > everything.least[0] * (1 + 1e-9)) ++between;
      // The other way round.
      const MappingLimits cheap{.most_energy = found.value * (1 + 1e-12)};
      CHECK(find_optimal_mapping(problem, {.objective = Objective::latency, .allowed = cheap}).value ==
            doctest::Approx(try_everything(problem, cheap).least[1]).epsilon(1e-9));
    }
    CHECK_THROWS_AS(find_optimal_mapping(problem, {.allowed = {.most_latency = least - 1}}), NoResult);
  }
  CHECK(between > daily(1, 5));
}

// With a gap, what is as good for one figure may be better still.
TEST_CASE("optimum: a mapping that is taken for a tie has its own value") {
  int compared = 0;
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    const MappingProblem problem = problem_with_uneven_ports(seed);
    const SearchProblem tables(problem);
    for (const Objective objective : {Objective::energy, Objective::latency}) {
      OptimumOptions options;
      options.objective = objective;
      options.limits.gap = 1;
      try {
        const Certificate best = find_optimal_mapping(problem, options);
        CHECK(tables.value(best.mapping, objective) == doctest::Approx(best.value).epsilon(1e-9));
        CHECK(best.lower_bound <= best.value);
        ++compared;
      } catch (const NoResult&) {
        // Nothing fits.
      }
    }
  }
  CHECK(compared > 10);
}

TEST_CASE("optimum: inputs that come straight from the memory of all") {
  Tally tally;
  for (std::uint32_t seed = 0; seed < daily(4U, 12U); ++seed) {
    CAPTURE(seed);
    check_against_everything(without_memories_of_inputs(seed), tally);
  }
  CHECK(tally.proven == tally.feasible);
}

TEST_CASE("optimum: in-memory computing, where the order decides how often cells change their weight") {
  Tally tally;
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    check_against_everything(in_memory_problem(seed), tally);
  }
  CHECK(tally.proven == tally.feasible);
}

TEST_CASE("optimum: LOMA's space is searched to the end, and contains all coarser factors") {
  for (std::uint32_t seed = 0; seed < daily(8U, 30U); ++seed) {
    CAPTURE(seed);
    const MappingProblem problem = random_problem(seed);
    for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp}) {
      CAPTURE(static_cast<int>(objective));
      const double least = best_of_loma(problem, objective);
      const OptimumOptions options{.objective = objective, .space = MappingSpace::loma};
      if (least == std::numeric_limits<double>::infinity()) {
        CHECK_THROWS_AS(find_optimal_mapping(problem, options), NoResult);
        continue;
      }
      const Certificate found = find_optimal_mapping(problem, options);
      CHECK(found.value == doctest::Approx(least).epsilon(1e-9));
      CHECK(found.gap() == 0);
    }
  }
}

TEST_CASE("optimum: a partial mapping that costs more but leaves more room may lead to the least energy") {
  // Problems in which it does.
  for (const std::uint32_t seed : {248U, 1084U}) {
    CAPTURE(seed);
    const MappingProblem problem = random_problem(seed);
    const Certificate found = find_least_energy(SearchProblem(problem), {});
    CHECK(found.value == doctest::Approx(try_everything(problem).least[0]).epsilon(1e-9));
  }
}

TEST_CASE("optimum: a gap that is allowed asks for no more than the whole proof") {
  std::uint64_t whole = 0, with_gap = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const MappingProblem problem = random_problem(seed);
    OptimumOptions options{.objective = Objective::latency, .break_ties = false};
    try {
      const Certificate exact = find_optimal_mapping(problem, options);
      options.limits.gap = 0.2;
      const Certificate near = find_optimal_mapping(problem, options);
      whole += exact.states;
      with_gap += near.states;
      CHECK(near.gap() <= 0.2 + rounding_tolerance);
      CHECK(near.lower_bound <= exact.value * (1 + rounding_tolerance));
    } catch (const NoResult&) {
    }
  }
  CHECK(with_gap <= whole);
}

TEST_CASE("certificate: a value that differs from its bound by rounding only is proven") {
  zz::core::Certificate proven;
  proven.value = 72494457.86;
  proven.lower_bound = proven.value * (1 - 3e-16);
  CHECK(proven.gap() == 0);
  proven.lower_bound = proven.value / 1.001;
  CHECK(proven.gap() == doctest::Approx(0.001));
  proven.lower_bound = 0;
  CHECK(proven.gap() == zz::core::infinite);
}
