// A proven optimum is the least over all mappings, and every mapping of an accelerator is one of a larger
// accelerator.
#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "tests/unit/search/optimal/random_problems.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// Infinite when nothing fits.
double optimum_of(const MappingProblem& problem, Objective objective) {
  try {
    const Certificate found = find_optimal_mapping(problem, {.objective = objective});
    CHECK(found.gap() == 0);
    return found.value;
  } catch (const NoResult&) {
    return infinite;
  }
}

/// How often the larger accelerator was better.
int check_no_worse(const MappingProblem& small, const std::function<void(Memory&)>& enlarge) {
  int better = 0;
  for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp}) {
    const double before = optimum_of(small, objective);
    for (std::size_t m = 0; m < small.accelerator->memories.size(); ++m) {
      Accelerator larger = *small.accelerator;
      enlarge(larger.memories[m]);
      MappingProblem problem = small;
      problem.accelerator = std::make_shared<const Accelerator>(std::move(larger));
      CAPTURE(static_cast<int>(objective));
      CAPTURE(m);
      const double after = optimum_of(problem, objective);
      CHECK(after <= before * (1 + rounding_tolerance));
      if (after < before * (1 - rounding_tolerance)) ++better;
    }
  }
  return better;
}

}  // namespace

TEST_CASE("optimum: more memory and more bandwidth never make it worse") {
  // Where nothing were better, nothing could be worse either: these problems are short of both.
  int by_size = 0, by_bandwidth = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    MappingProblem problem = random_problem(seed);
    problem.options.rules = {};
    by_size += check_no_worse(problem, [](Memory& memory) { memory.size *= 2; });
    by_size += check_no_worse(problem, [](Memory& memory) { memory.size += 8; });
    by_bandwidth += check_no_worse(problem, [](Memory& memory) {
      for (Port& port : memory.ports) port.bandwidth_max *= 2;
    });
  }
  CHECK(by_size > 20);
  CHECK(by_bandwidth > 20);
}
