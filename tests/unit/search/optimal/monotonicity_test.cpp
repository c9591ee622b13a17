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

}  // namespace

TEST_CASE("optimum: more memory and more bandwidth never make it worse") {
  // Where nothing were better, nothing could be worse either: these problems are short of both.
  for (const int better : better_of(0, 30)) CHECK(better > 5);
}

// Slow: CTest runs it as "unit-slow/more is never worse".
TEST_CASE("optimum: more never makes it worse, two thousand pairs of machines" * doctest::skip()) {
  for (const int better : better_of(30, 2030)) CHECK(better > 300);
}
