#include "core/search/optimal/joint_bound.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <memory>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "tests/unit/worlds/random_problems.hpp"
#include "tests/unit/worlds/thorough.hpp"

namespace {

using namespace zz::core;
using zz::test::daily;
using zz::test::RandomProblems;

/// A design that the given one stands for in a box: memories that are not innermost may be smaller, their
/// ports narrower, and accesses and units may cost more.
Accelerator design_inside(const Accelerator& corner, RandomProblems& random) {
  Accelerator inside = corner;
  const std::vector<int> inner = corner.hierarchy().inner_memories;
  for (std::size_t i = 0; i < inside.memories.size(); ++i) {
    Memory& memory = inside.memories[i];
    memory.read_cost *= 1 + 0.25 * random.draw(0, 4);
    memory.write_cost *= 1 + 0.25 * random.draw(0, 4);
    if (std::find(inner.begin(), inner.end(), static_cast<int>(i)) != inner.end()) continue;
    if (i + 1 < inside.memories.size())
      memory.size = std::max<std::int64_t>(64, memory.size / random.draw(1, 6));
    for (Port& port : memory.ports)
      port.bandwidth_max = std::max(port.bandwidth_min, port.bandwidth_max / random.draw(1, 3));
  }
  inside.array.unit_energy *= 1 + 0.5 * random.draw(0, 2);
  return inside;
}

/// Number of the pairs that had a mapping on the design inside.
int check_boxes(int pairs) {
  RandomProblems random;
  int compared = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const Layer layer = random.layer();
    const auto corner = std::make_shared<const Accelerator>(random.accelerator());
    const auto inside = std::make_shared<const Accelerator>(design_inside(*corner, random));
    for (const Objective objective : {Objective::energy, Objective::latency}) {
      JointOptions options;
      options.objective = objective;
      options.mixed = random.draw(0, 1) == 1;
      const double bound = joint_bound(layer, corner, options);
      const double own = joint_bound(layer, inside, options);
      CHECK(bound <= own * (1 + rounding_tolerance));
      // Sharing between accelerators changes nothing.
      JointBounds shared(layer, options);
      for (const auto& [accelerator, alone] : {std::pair(corner, bound), {inside, own}, {corner, bound}})
        CHECK(shared.of(accelerator) == alone);
      try {
        const double value = find_joint_optimum(layer, inside, options).certificate.value;
        ++compared;
        CHECK_MESSAGE(own <= value * (1 + rounding_tolerance), "pair ", pair);
        CHECK_MESSAGE(bound <= value * (1 + rounding_tolerance), "pair ", pair);
        // The search on the corner bounds the energy as well.
        if (objective == Objective::energy)
          CHECK(find_joint_optimum(layer, corner, options).certificate.lower_bound <=
                value * (1 + rounding_tolerance));
      } catch (const NoResult&) {
        continue;
      }
    }
  }
  return compared;
}

}  // namespace

TEST_CASE("joint bound: no design inside a box has less than the bound of its corner") {
  CHECK(check_boxes(daily(10, 25)) > daily(6, 20));
}

TEST_CASE("joint bound: no design inside thousands of boxes has less than their bounds" * doctest::skip()) {
  CHECK(check_boxes(4000) > 2000);
}
