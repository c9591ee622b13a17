#include <doctest/doctest.h>
#include <memory>
#include <random>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/cost_relations.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

struct Question {
  Layer layer;
  std::shared_ptr<const Accelerator> accelerator;
  bool mixed = false;

  JointOptions options(Objective objective) const {
    JointOptions options;
    options.objective = objective;
    options.mixed = mixed;
    return options;
  }
  /// Without unrolling.
  MappingProblem problem() const {
    SpatialUnrolling nothing;
    for (const ArrayDimension& dimension : accelerator->array.dimensions)
      nothing.dimensions.push_back({dimension.name, {}});
    return unrolled_problem(layer, accelerator, nothing, {});
  }
};

/// Small problems with many unrollings, and costs of any size.
Question random_question(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::vector<std::int64_t> values) { return values[random() % values.size()]; };
  Question question;
  question.layer = random() % 2
                       ? gemm(pick({4, 6, 8}), pick({4, 5, 12}), pick({3, 8}))
                       : convolution(pick({2, 4}), pick({2, 3}), pick({3, 4}), pick({1, 2}), pick({1, 3}));
  Accelerator accelerator = small_accelerator(pick({16, 64}), pick({192, 512, 4096}), pick({8, 16}));
  accelerator.array.dimensions[0].size = pick({2, 3, 4});
  accelerator.array.dimensions[1].size = pick({2, 4});
  for (Memory& memory : accelerator.memories) {
    memory.read_cost = static_cast<double>(pick({0, 1, 3, 70}));
    memory.write_cost = static_cast<double>(pick({1, 2, 50}));
  }
  question.mixed = random() % 2 == 0;
  question.accelerator = std::make_shared<const Accelerator>(accelerator);
  return question;
}

}  // namespace

TEST_CASE("joint optimum: proven anew from an earlier one when costs change") {
  std::mt19937 random(5);
  int compared = 0, fewer = 0;
  for (std::uint32_t seed = 0; seed < daily(3U, 30U); ++seed) {
    CAPTURE(seed);
    const Question question = random_question(seed);
    for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp}) {
      CAPTURE(static_cast<int>(objective));
      const JointOptions options = question.options(objective);
      JointOptimum earlier;
      try {
        earlier = find_joint_optimum(question.layer, question.accelerator, options);
      } catch (const NoResult&) {
        continue;
      }
      for (int step = 0; step < 4; ++step) {
        Accelerator changed = *earlier.problem.accelerator;
        Memory& memory = changed.memories[random() % changed.memories.size()];
        // Up, down, to nothing, or several at once.
        constexpr double factors[] = {5, 0.3, 0, 1.1};
        memory.read_cost *= factors[step];
        if (step == 3) changed.array.unit_energy *= 0.5;
        const auto accelerator = std::make_shared<const Accelerator>(changed);
        const JointOptimum alone = find_joint_optimum(question.layer, accelerator, options);
        const JointOptimum anew = find_joint_optimum(question.layer, accelerator, options, &earlier);
        ++compared;
        CHECK(anew.certificate.value == doctest::Approx(alone.certificate.value).epsilon(1e-8));
        CHECK(anew.certificate.lower_bound <= alone.certificate.value * (1 + 1e-8));
        if (alone.certificate.gap() == 0) CHECK(anew.certificate.gap() == 0);
        for (const double bound : anew.bounds) CHECK(bound >= 0);
        if (anew.searched < alone.searched) ++fewer;
        earlier = anew;
      }
    }
  }
  CHECK(compared > daily(20, 50));
  CHECK(fewer > 0);
}

TEST_CASE("joint optimum: an optimum of an accelerator that differs in more than costs is no start") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Question question = random_question(seed);
    const MappingProblem before = question.problem();
    Accelerator smaller = *question.accelerator;
    smaller.memories.front().size /= 2;
    CHECK_FALSE(cost_change(before, smaller).has_value());
    Accelerator narrower = *question.accelerator;
    narrower.memories.front().ports.front().bandwidth_max += 8;
    CHECK_FALSE(cost_change(before, narrower).has_value());
    Accelerator larger = *question.accelerator;
    larger.memories.front().area += 1;
    const auto same = cost_change(before, larger);
    REQUIRE(same.has_value());
    CHECK(same->none);
  }
}

TEST_CASE("joint optimum: stays where a memory has room for everything, before and after") {
  int compared = 0;
  for (std::uint32_t seed = 0; seed < daily(3U, 12U); ++seed) {
    CAPTURE(seed);
    Question question = random_question(seed);
    for (std::size_t m = 0; m < question.accelerator->memories.size(); ++m) {
      CAPTURE(m);
      // The least power of two that has room.
      Accelerator least = *question.accelerator, larger = least;
      for (least.memories[m].size = 1;; least.memories[m].size *= 2) {
        larger.memories[m].size = 2 * least.memories[m].size;
        question.accelerator = std::make_shared<const Accelerator>(least);
        if (cost_change(question.problem(), larger)) break;
        REQUIRE(least.memories[m].size < std::int64_t{1} << 40);
      }
      CHECK(cost_change(question.problem(), larger)->none);
      for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp}) {
        try {
          const JointOptions options = question.options(objective);
          const auto roomy = std::make_shared<const Accelerator>(larger);
          const double before =
              find_joint_optimum(question.layer, question.accelerator, options).certificate.value;
          CHECK(find_joint_optimum(question.layer, roomy, options).certificate.value ==
                doctest::Approx(before).epsilon(1e-12));
          ++compared;
        } catch (const NoResult&) {
          continue;
        }
      }
    }
  }
  CHECK(compared > daily(8, 50));
}
