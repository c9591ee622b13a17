// A proven optimum is the least over all mappings, and every mapping of an accelerator is one of a larger
// accelerator, where it costs no more.
#include <array>
#include <doctest/doctest.h>
#include <memory>
#include <random>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "tests/unit/search/optimal/random_problems.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

enum class More { memory, bandwidth, both };

/// More in some memories, nowhere less.
Accelerator enlarged(Accelerator accelerator, More more, std::mt19937& random) {
  const auto pick = [&](std::array<std::int64_t, 5> values) { return values[random() % values.size()]; };
  for (Memory& memory : accelerator.memories) {
    if (more != More::bandwidth) memory.size += pick({0, 8, 24, memory.size / 2, memory.size});
    if (more == More::memory) continue;
    for (Port& port : memory.ports)
      port.bandwidth_max += pick({0, 1, 8, port.bandwidth_max, 7 * port.bandwidth_max});
  }
  return accelerator;
}

/// Infinite when nothing fits. `joint`: over all spatial mappings as well.
double optimum_of(const MappingProblem& problem, Objective objective, bool joint) {
  try {
    Certificate found;
    if (joint) {
      Layer layer = *problem.layer;
      layer.mapping.spatial_mapping = {};
      JointOptions options;
      options.objective = objective;
      options.mixed = true;
      options.factors = UnrollingFactors::any;
      found = find_joint_optimum(layer, problem.accelerator, options).certificate;
    } else {
      found = find_optimal_mapping(problem, {.objective = objective});
    }
    CHECK(found.gap() == 0);
    return found.value;
  } catch (const NoResult&) {
    return infinite;
  }
}

/// Pairs of random machines; how often the larger one was better, by what it has more of.
std::array<int, 3> better_of(std::uint32_t first, std::uint32_t last) {
  std::array<int, 3> better{};
  for (std::uint32_t seed = first; seed < last; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    MappingProblem small = seed % 4 == 3 ? problem_with_dealt_ports(seed) : random_problem(seed);
    small.options.rules = {};
    const auto more = static_cast<More>(random() % 3);
    MappingProblem large = small;
    large.accelerator = std::make_shared<const Accelerator>(enlarged(*small.accelerator, more, random));
    for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp}) {
      for (const bool joint : {false, true}) {
        CAPTURE(static_cast<int>(objective));
        CAPTURE(joint);
        CAPTURE(static_cast<int>(more));
        const double before = optimum_of(small, objective, joint);
        const double after = optimum_of(large, objective, joint);
        CHECK(after <= before * (1 + rounding_tolerance));
        if (after < before * (1 - rounding_tolerance)) ++better[static_cast<std::size_t>(more)];
      }
    }
  }
  return better;
}

/// Layers with thousands of loop orders, on machines with up to 64 units.
struct LimitedQuestion {
  Layer layer;
  std::shared_ptr<const Accelerator> accelerator;
};
LimitedQuestion question_under_limits(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::array<std::int64_t, 4> values) { return values[random() % values.size()]; };
  LimitedQuestion question{random() % 2
                               ? gemm(pick({12, 16, 60, 64}), pick({8, 24, 48, 30}), pick({16, 32, 18, 64}))
                               : convolution(pick({8, 12, 16, 6}), pick({3, 4, 8, 6}), pick({7, 8, 14, 6}),
                                             pick({1, 2, 3, 5}), pick({1, 1, 2, 2})),
                           nullptr};
  Accelerator accelerator =
      small_accelerator(pick({16, 32, 64, 256}), pick({1024, 2048, 8192, 30000}), pick({8, 16, 32, 64}));
  accelerator.array.dimensions[0].size = pick({2, 4, 6, 8});
  accelerator.array.dimensions[1].size = pick({1, 3, 4, 8});
  for (Memory& memory : accelerator.memories) {
    memory.read_cost = static_cast<double>(pick({1, 2, 3, 7}));
    memory.write_cost = static_cast<double>(pick({1, 2, 5, 6}));
    if (random() % 2) share_port(memory);
  }
  question.accelerator = std::make_shared<const Accelerator>(std::move(accelerator));
  return question;
}

/// Searches that end after ever more partial mappings. Returns how often more of them found something
/// better.
int better_with_more_states(std::uint32_t first, std::uint32_t last) {
  int better = 0;
  for (std::uint32_t seed = first; seed < last; ++seed) {
    CAPTURE(seed);
    const LimitedQuestion question = question_under_limits(seed);
    JointOptions options;
    options.objective = static_cast<Objective>(seed % 3);
    options.mixed = seed % 4 != 0;
    options.within = 0.001;
    double best = infinite;
    for (const std::uint64_t states : {1, 30, 300, 1000, 3000, 10000, 30000, 60000}) {
      CAPTURE(states);
      options.limits.states = states;
      double value = infinite;
      try {
        const JointOptimum found = find_joint_optimum(question.layer, question.accelerator, options);
        value = found.certificate.value;
        const JointOptimum& pair = found.chosen();
        CHECK(value_of(options.objective, pair.energy, pair.latency) <=
              value * 1.001 * (1 + rounding_tolerance));
      } catch (const NoResult&) {
      }
      CHECK(value <= best);
      if (value < best && best < infinite) ++better;
      best = value;
    }
  }
  return better;
}

/// Searches among even unrollings and among all, that end after equally many partial mappings. Returns how
/// often the larger space had something better.
int better_with_uneven_rounds(std::uint32_t first, std::uint32_t last) {
  int better = 0;
  for (std::uint32_t seed = first; seed < last; ++seed) {
    CAPTURE(seed);
    const LimitedQuestion question = question_under_limits(seed);
    double best = infinite;
    for (const std::uint64_t states : {1, 30, 300, 3000, 30000}) {
      CAPTURE(states);
      const auto value_with = [&](UnrollingFactors factors) {
        JointOptions options;
        options.objective = static_cast<Objective>(seed % 3);
        options.mixed = seed % 4 != 0;
        options.factors = factors;
        if (seed % 5 != 0) options.within = 0.001;
        options.limits.states = states;
        try {
          return find_joint_optimum(question.layer, question.accelerator, options).certificate.value;
        } catch (const NoResult&) {
          return infinite;
        }
      };
      const double even = value_with(UnrollingFactors::even), any = value_with(UnrollingFactors::any);
      CHECK(any <= even);
      CHECK(any <= best);
      if (any < even) ++better;
      best = any;
    }
  }
  return better;
}

}  // namespace

TEST_CASE("optimum: uneven rounds never make it worse") {
  CHECK(better_with_uneven_rounds(0, daily(2U, 8U)) > daily(0, 3));
}

// Slow: CTest runs it as "unit-slow/more is never worse".
TEST_CASE("optimum: more never makes it worse, uneven rounds of three hundred layers" * doctest::skip()) {
  CHECK(better_with_uneven_rounds(8, 308) > 20);
}

TEST_CASE("optimum: more states never make it worse") {
  CHECK(better_with_more_states(0, daily(2U, 12U)) > daily(0, 3));
}

// Slow: CTest runs it as "unit-slow/more is never worse".
TEST_CASE("optimum: more never makes it worse, two hundred layers and limits of states" * doctest::skip()) {
  CHECK(better_with_more_states(12, 212) > 50);
}

TEST_CASE("optimum: more memory and more bandwidth never make it worse") {
  // Where nothing were better, nothing could be worse either: these problems are short of both.
  for (const int better : better_of(0, daily(12U, 30U))) CHECK(better > daily(1, 5));
}

// Slow: CTest runs it as "unit-slow/more is never worse".
TEST_CASE("optimum: more never makes it worse, two thousand pairs of machines" * doctest::skip()) {
  for (const int better : better_of(30, 2030)) CHECK(better > 300);
}
