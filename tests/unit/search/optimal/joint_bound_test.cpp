#include "core/search/optimal/joint_bound.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <memory>

#include "core/base/diagnostics.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "tests/unit/worlds/random_problems.hpp"

namespace {

using namespace zz::core;
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

/// How many of the pairs had a mapping on the design inside.
int check_boxes(int pairs) {
  RandomProblems random;
  int compared = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const Layer layer = random.layer();
    const Accelerator drawn = random.accelerator();
    const auto corner =
        std::make_shared<const Accelerator>(pair % 2 == 0 ? drawn : zz::test::with_common_buffer(drawn));
    const auto inside = std::make_shared<const Accelerator>(design_inside(*corner, random));
    for (const Objective objective : {Objective::energy, Objective::latency}) {
      JointOptions options;
      options.objective = objective;
      options.mixed = random.draw(0, 1) == 1;
      const double bound = joint_bound(layer, corner, options);
      const double own = joint_bound(layer, inside, options);
      CHECK(bound <= own * (1 + rounding_tolerance));
      const double tight = joint_bound(layer, corner, options, OrderOf::all_operands);
      const double own_tight = joint_bound(layer, inside, options, OrderOf::all_operands);
      CHECK(bound <= tight * (1 + rounding_tolerance));
      CHECK(tight <= own_tight * (1 + rounding_tolerance));
      try {
        const double value = find_joint_optimum(layer, inside, options).certificate.value;
        ++compared;
        CHECK_MESSAGE(own <= value * (1 + rounding_tolerance), "pair ", pair);
        CHECK_MESSAGE(own_tight <= value * (1 + rounding_tolerance), "pair ", pair);
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
  CHECK(check_boxes(25) > 20);
}

TEST_CASE("joint bound: with one order for all operands it is the least energy but for shared memories") {
  using zz::test::memory;
  // The sums have a memory of their own, and so has each input: nothing is shared but the home.
  const std::vector<std::string> all{"I1", "I2", "O"};
  Accelerator separate = zz::test::accelerator_with(
      "small", {2, 2},
      {memory("sums", 512, {"O"}, {"D1", "D2"}, 32), memory("weights", 256, {"I2"}, {"D1", "D2"}),
       memory("inputs", 256, {"I1"}, {"D1", "D2"}), memory("home", 1 << 20, all, {"D1", "D2"})});
  separate.memories.back().read_cost = separate.memories.back().write_cost = 100;
  Layer layer = zz::test::gemm(16, 24, 32);
  layer.operands[0].precision = 32;
  const auto accelerator = std::make_shared<const Accelerator>(separate);
  const double value = find_joint_optimum(layer, accelerator, {}).certificate.value;
  const double tight = joint_bound(layer, accelerator, {}, OrderOf::all_operands);
  CHECK(tight == doctest::Approx(value).epsilon(1e-9));
  // Each operand by itself would pass once.
  CHECK(joint_bound(layer, accelerator, {}) < 0.6 * value);
}

TEST_CASE("joint bound: no design inside thousands of boxes has less than their bounds" * doctest::skip()) {
  CHECK(check_boxes(4000) > 2000);
}
