#include "core/search/optimal/one_order_bound.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/joint_bound.hpp"
#include "tests/unit/worlds/random_problems.hpp"

namespace {

using namespace zz::core;
using zz::test::memory;
using zz::test::RandomProblems;
using zz::test::with_common_buffer;

const std::vector<std::string> all_operands{"I1", "I2", "O"};

/// Sums and inputs have memories of their own below the home, each for the whole array.
std::shared_ptr<const Accelerator> separate_memories(std::int64_t sums, std::int64_t inputs) {
  const std::vector<std::string> whole{"D1", "D2"};
  Accelerator accelerator = zz::test::accelerator_with(
      "small", {2, 2},
      {memory("sums", sums, {"O"}, whole, 32), memory("weights", inputs, {"I2"}, whole),
       memory("inputs", inputs, {"I1"}, whole), memory("home", 1 << 20, all_operands, whole)});
  accelerator.memories.back().read_cost = accelerator.memories.back().write_cost = 100;
  return std::make_shared<const Accelerator>(accelerator);
}

Layer product(std::int64_t m, std::int64_t n, std::int64_t c) {
  Layer layer = zz::test::gemm(m, n, c);
  layer.operands[0].precision = 32;
  return layer;
}

}  // namespace

TEST_CASE("one-order bound: lies between the bound of single operands and the least energy") {
  RandomProblems random;
  int compared = 0, tighter = 0;
  for (int i = 0; i < 40; ++i) {
    const Layer layer =
        i % 3 == 0 ? product(8 * random.draw(1, 5), 8 * random.draw(1, 5), 16) : random.layer();
    const Accelerator drawn = random.accelerator();
    const auto accelerator =
        std::make_shared<const Accelerator>(i % 2 == 0 ? drawn : with_common_buffer(drawn));
    JointOptions options;
    options.mixed = random.draw(0, 1) == 1;
    if (i % 5 == 0) options.factors = UnrollingFactors::any;
    const double each = joint_bound(layer, accelerator, options);
    const double together = one_order_bound(layer, accelerator, options);
    CAPTURE(i);
    CHECK(each <= together * (1 + rounding_tolerance));
    try {
      const double value = find_joint_optimum(layer, accelerator, options).certificate.value;
      CHECK(together <= value * (1 + rounding_tolerance));
      ++compared;
      if (together > each * (1 + rounding_tolerance)) ++tighter;
    } catch (const NoResult&) {
      continue;
    }
  }
  CHECK(compared > 20);
  CHECK(tighter > 5);
}

TEST_CASE("one-order bound: is the least energy where operands share nothing but the home") {
  const Layer layer = product(16, 24, 32);
  const auto accelerator = separate_memories(512, 256);
  const double value = find_joint_optimum(layer, accelerator, {}).certificate.value;
  CHECK(one_order_bound(layer, accelerator, {}) == doctest::Approx(value).epsilon(1e-9));
  // If each operand chose the order, none would pass the home twice.
  CHECK(joint_bound(layer, accelerator, {}) < 0.6 * value);
}

TEST_CASE("one-order bound: a prescribed unrolling and an order have one, too") {
  Layer layer = product(16, 24, 32);
  const auto accelerator = separate_memories(512, 256);
  const double any = one_order_bound(layer, accelerator, {});
  layer.mapping.temporal_ordering = {{layer.loops[2].name, 2}};
  const double ordered = one_order_bound(layer, accelerator, {});
  CHECK(any <= ordered * (1 + rounding_tolerance));
  CHECK(ordered <= find_joint_optimum(layer, accelerator, {}).certificate.value * (1 + rounding_tolerance));
  layer.mapping.temporal_ordering.clear();
  layer.mapping.spatial_mapping = {
      {{"D1", {{layer.loops[0].name, 2}}}, {"D2", {{layer.loops[1].name, 2}}}}};
  const double prescribed = one_order_bound(layer, accelerator, {});
  CHECK(any <= prescribed * (1 + rounding_tolerance));
  CHECK(prescribed <=
        find_joint_optimum(layer, accelerator, {}).certificate.value * (1 + rounding_tolerance));
}

TEST_CASE("one-order bound: nothing fits") {
  CHECK(one_order_bound(product(4, 4, 4), separate_memories(8, 256), {}) == infinite);
}
