#include "core/workload/window_positions.hpp"

#include <doctest/doctest.h>
#include <limits>
#include <set>

using namespace zz::core;

namespace {

constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();

std::int64_t enumerate(std::int64_t stride, std::int64_t dilation, std::int64_t count_a,
                       std::int64_t count_b) {
  std::set<std::int64_t> positions;
  for (std::int64_t a = 0; a < count_a; ++a) {
    for (std::int64_t b = 0; b < count_b; ++b) positions.insert(stride * a + dilation * b);
  }
  return static_cast<std::int64_t>(positions.size());
}

}  // namespace

TEST_CASE("window positions: the closed form counts as many as an enumeration") {
  for (std::int64_t stride = 1; stride < 6; ++stride) {
    for (std::int64_t dilation = 1; dilation < 6; ++dilation) {
      const WindowPositions positions(stride, dilation, unbounded, false);
      for (std::int64_t a = 1; a < 8; ++a) {
        for (std::int64_t b = 1; b < 8; ++b)
          CHECK(positions.count(a, b) == enumerate(stride, dilation, a, b));
      }
    }
  }
}

TEST_CASE("window positions: never more than the dimension has; ZigZag's over-count only on demand") {
  CHECK(WindowPositions(1, 1, 5, false).count(4, 3) == 5);
  CHECK(WindowPositions(1, 4, unbounded, false).count(2, 3) == 6);
  CHECK(WindowPositions(1, 4, unbounded, true).count(2, 3) == 10);
}

TEST_CASE("window positions: one layer counts by the rules of who asks") {
  Layer layer;
  layer.loops = {{"OX", 2}, {"FX", 3}};
  layer.relations = {{"IX", 1, "OX", 4, "FX", 100}};
  layer.operands = {{"O", {"OX"}, 0, false, {}}, {"W", {"FX"}, 0, false, {}}, {"I", {"IX"}, 0, false, {}}};
  CHECK(layer.operand_elements(2, {}) == 6);
  CHECK(layer.operand_elements(2, rules_of("zigzag-3.8.5")) == 10);
  CHECK(layer.operand_elements(0, rules_of("zigzag-3.8.5")) == 2);
}
