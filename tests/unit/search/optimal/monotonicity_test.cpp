// A proven optimum is the least over all mappings, and every mapping of an accelerator is one of a larger
// accelerator.
#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <vector>

#include "core/diagnostics/diagnostics.hpp"
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

void check_no_worse(const MappingProblem& small, const std::function<void(Memory&)>& enlarge) {
  for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp}) {
    const double before = optimum_of(small, objective);
    for (std::size_t m = 0; m < small.accelerator->memories.size(); ++m) {
      Accelerator larger = *small.accelerator;
      enlarge(larger.memories[m]);
      MappingProblem problem = small;
      problem.accelerator = std::make_shared<const Accelerator>(std::move(larger));
      CAPTURE(static_cast<int>(objective));
      CAPTURE(m);
      CHECK(optimum_of(problem, objective) <= before * (1 + rounding_tolerance));
    }
  }
}

}  // namespace

TEST_CASE("optimum: more memory and more bandwidth never make it worse") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    MappingProblem problem = random_problem(seed);
    problem.options.rules = {};
    check_no_worse(problem, [](Memory& memory) { memory.size *= 2; });
    check_no_worse(problem, [](Memory& memory) { memory.size += 8; });
    check_no_worse(problem, [](Memory& memory) {
      for (Port& port : memory.ports) port.bandwidth_max *= 2;
    });
  }
}
