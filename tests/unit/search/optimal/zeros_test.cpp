// Zeros that arrays skip and memories leave out, in proofs and in costs.
#include <algorithm>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/factors.hpp"
#include "core/cost/audit.hpp"
#include "core/cost/detail/mapped_data.hpp"
#include "core/cost/work_left.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "tests/unit/search/optimal/against_everything.hpp"
#include "tests/unit/search/optimal/random_problems.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// The problem with another layer or machine, and the same unrolling.
MappingProblem changed(const MappingProblem& problem, const Layer& layer, const Accelerator& accelerator) {
  return unrolled_problem(layer, std::make_shared<const Accelerator>(accelerator),
                          problem.layer->mapping.spatial_mapping,
                          {.same_data_free = problem.options.same_data_free});
}

/// Some of LOMA's mappings.
std::vector<std::shared_ptr<const TemporalMapping>> some_mappings(const MappingProblem& problem) {
  std::vector<std::shared_ptr<const TemporalMapping>> some;
  Loma orders(problem.layer, problem.accelerator, problem.fractional, {.factor_limit = 5});
  CompactMappings batch;
  for (orders.next(batch, 64); !batch.rows.empty() && some.size() < 12; orders.next(batch, 64))
    for (std::size_t row = 0; row < batch.rows.size(); row += 17)
      some.push_back(std::make_shared<const TemporalMapping>(batch.mapping(row)));
  return some;
}

Evaluation evaluated(const MappingProblem& problem, const std::shared_ptr<const TemporalMapping>& mapping) {
  return CostModel(problem.accelerator, problem.layer, problem.fractional, problem.integral,
                   problem.options)
      .evaluate(mapping);
}

/// Prime factors of its loops in time: the orders of more of them take minutes to write out.
std::size_t factors_in_time(const MappingProblem& problem) {
  std::size_t factors = 0;
  for (const RemainingLoop& loop :
       remaining_loops(*problem.layer, *problem.fractional, problem.options.rules))
    for (const auto& [prime, power] : prime_factors(loop.size)) factors += static_cast<std::size_t>(power);
  return factors;
}

void check_problem(const MappingProblem& problem, Tally& tally) {
  check_against_everything(problem, tally);
  for (const Objective objective : {Objective::energy, Objective::latency}) {
    try {
      const Certificate best = find_optimal_mapping(problem, {.objective = objective});
      CHECK(bound_of(SpatialBounds(objective).of(problem), objective) <= best.value * (1 + 1e-9));
    } catch (const NoResult&) {
      continue;
    }
  }
}

/// That many layers, of the seeds from `first` on those with few loops.
void check_problems(const MemoryKeys& keys, std::uint32_t first, std::uint32_t layers) {
  constexpr std::size_t most_factors = 7;
  Tally tally;
  std::uint32_t checked = 0;
  for (std::uint32_t seed = first; checked < layers; ++seed) {
    CAPTURE(seed);
    const MappingProblem problem = problem_with_keys(seed, keys);
    if (factors_in_time(problem) > most_factors) continue;
    ++checked;
    check_problem(problem, tally);
  }
  CHECK(tally.proven == tally.feasible);
  CHECK(tally.feasible > static_cast<int>(layers));
  if (thorough()) MESSAGE(checked, " layers, ", tally.proven, " proofs");
}

}  // namespace

TEST_CASE("zeros: with what units skip, what is proven best is best of everything") {
  check_problems({.zeros = true}, 0, daily(8U, 200U));
}

TEST_CASE("zeros: with formats of memories, what is proven best is best of everything") {
  check_problems({.formats = true}, 0, daily(3U, 200U));
  check_problems({.zeros = true, .formats = true}, 300, daily(3U, 100U));
}

// A result of one element in a format may be longer than its partial sum: it has a row of its own.
TEST_CASE("zeros: results that take more room than their sums do not hide mappings from a proof") {
  Tally tally;
  check_problem(problem_with_keys(154, {.formats = true}), tally);
  check_problem(problem_with_keys(316, {.zeros = true, .formats = true}), tally);
  check_problem(problem_with_keys(330, {.zeros = true, .formats = true}), tally);
  CHECK(tally.proven == tally.feasible);
}

TEST_CASE("zeros: with efficiencies beside, what is proven best is best of everything") {
  check_problems({.efficiency = true, .zeros = true}, 200, daily(2U, 30U));
}

TEST_CASE("zeros: operands without any cost what they cost on an array that looks for none") {
  for (std::uint32_t seed = 0; seed < daily(20U, 100U); ++seed) {
    CAPTURE(seed);
    const MappingProblem problem = problem_with_keys(seed, {.zeros = true, .formats = true});
    Layer dense = *problem.layer;
    for (OperandSparsity& one : dense.sparsity) one.density = 1;
    Accelerator plain = *problem.accelerator;
    plain.array.on_zero.clear();
    for (Memory& memory : plain.memories) memory.formats.clear();
    const MappingProblem looking = changed(problem, dense, *problem.accelerator);
    const MappingProblem blind = changed(problem, dense, plain);
    for (const auto& mapping : some_mappings(blind)) {
      const Evaluation a = evaluated(looking, mapping), b = evaluated(blind, mapping);
      CHECK(a.energy_total == b.energy_total);
      CHECK(a.latency_total2 == b.latency_total2);
      CHECK(a.latency_total0 == b.latency_total0);
      CHECK(a.mac_energy == b.mac_energy);
    }
  }
}

TEST_CASE("zeros: more of them never cost more where nothing is stored in a format") {
  for (std::uint32_t seed = 0; seed < daily(20U, 100U); ++seed) {
    CAPTURE(seed);
    const MappingProblem problem = problem_with_keys(seed, {.zeros = true});
    for (const auto& mapping : some_mappings(problem)) {
      double energy = std::numeric_limits<double>::infinity(), latency = energy;
      for (int percent = 100; percent >= 0; percent -= 5) {
        Layer layer = *problem.layer;
        layer.sparsity = {{"W", 0.01 * percent}, {"I", 0.2 + 0.008 * percent}};
        const Evaluation now = evaluated(changed(problem, layer, *problem.accelerator), mapping);
        CHECK(now.energy_total <= energy * (1 + 1e-12));
        CHECK(now.latency_total2 <= latency * (1 + 1e-12));
        CHECK(audit(now, AuditScope::all).empty());
        double parts = 0;
        for (const LatencyPart& part : now.latency_parts) parts += part.cycles;
        CHECK(parts == doctest::Approx(now.latency_total2).epsilon(1e-9));
        energy = now.energy_total;
        latency = now.latency_total2;
      }
    }
  }
}

namespace {

/// The auditor finds that the latency is shorter than the rounds that some unit makes.
bool misses_rounds(const Evaluation& evaluation) {
  const std::vector<std::string> broken = audit(evaluation, AuditScope::all);
  return std::any_of(broken.begin(), broken.end(), [](const std::string& rule) {
    return rule.find("the temporal loops have") != std::string::npos;
  });
}

}  // namespace

TEST_CASE("zeros: the auditor counts the rounds that are made by itself") {
  const std::uint32_t seeds = daily(60U, 400U);
  std::uint32_t exact = 0, bounded = 0;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    const MappingProblem problem = problem_with_keys(seed, {.zeros = true});
    const WorkLeft left = work_left(*problem.accelerator, *problem.layer, *problem.fractional);
    if (left.useful == 1 || left.useful < 1e-6) continue;  // nothing is skipped, or all
    const auto mappings = some_mappings(problem);
    if (mappings.empty()) continue;
    Evaluation evaluation = evaluated(problem, mappings.front());
    CHECK(audit(evaluation, AuditScope::all).empty());
    const MappedData data(*problem.accelerator, *problem.layer, *problem.fractional, *mappings.front());
    CHECK(data.rounds_made() <= left.rounds * (1 + 1e-9));
    CHECK(data.rounds_made() >= left.useful * (1 - 1e-9));
    ++(data.rounds_made() < left.rounds * (1 - 1e-9) ? bounded : exact);  // it may know only some units
    const double least = data.rounds_made() * data.temporal_iterations();
    evaluation.latency_total2 = 0.99 * least;
    CHECK(misses_rounds(evaluation));
    evaluation.latency_total2 = 1.01 * least;
    CHECK_FALSE(misses_rounds(evaluation));
  }
  CHECK(exact > seeds / 4);
  CHECK(bounded < exact);
}
