#include "core/answers/known_mapping.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <memory>

#include "core/base/diagnostics.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "tests/unit/worlds/random_problems.hpp"
#include "tests/unit/worlds/thorough.hpp"

namespace {

using namespace zz::core;
using zz::test::daily;
using zz::test::RandomProblems;

/// With half the room in memories that are neither innermost nor topmost.
std::shared_ptr<const Accelerator> smaller(const Accelerator& large) {
  auto small = std::make_shared<Accelerator>(large);
  const std::vector<int> inner = large.hierarchy().inner_memories;
  for (std::size_t i = 0; i + 1 < small->memories.size(); ++i)
    if (std::find(inner.begin(), inner.end(), static_cast<int>(i)) == inner.end())
      small->memories[i].size = std::max<std::int64_t>(64, small->memories[i].size / 2);
  return small;
}

}  // namespace

TEST_CASE(
    "known mapping: cut anew for smaller memories, it fits, and a search from it ends at the optimum") {
  RandomProblems random;
  int fitting = 0;
  for (int problem = 0; problem < daily(8, 25); ++problem) {
    const Layer layer = random.layer();
    const auto large = std::make_shared<const Accelerator>(random.accelerator());
    const auto small = smaller(*large);
    for (const Objective objective : {Objective::energy, Objective::latency}) {
      JointOptions options;
      options.objective = objective;
      try {
        const KnownMapping known =
            known_mapping(stored_answer(find_joint_optimum(layer, large, options), options.limits).mapping);
        const double least = find_joint_optimum(layer, small, options).certificate.value;
        const auto anew = cut_anew(known, layer, small, options.model);
        if (anew == nullptr) continue;
        ++fitting;
        CHECK(anew->value(small, objective) >= least * (1 - rounding_tolerance));
        options.start = std::make_shared<const JointOptions::Start>(
            JointOptions::Start{anew->known().unrolling, anew->known().mapping});
        CHECK(find_joint_optimum(layer, small, options).certificate.value ==
              doctest::Approx(least).epsilon(1e-9));
      } catch (const NoResult&) {
        continue;
      }
    }
  }
  CHECK(fitting > daily(3, 10));
}
