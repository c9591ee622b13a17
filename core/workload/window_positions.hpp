#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

namespace zz::core {

/// Counts the distinct values of stride*a + dilation*b for 0 <= a < count_a, 0 <= b < count_b: the
/// positions of a data dimension that two loops touch. At most `size`, the extent of the dimension.
///
/// `exact` false gives ZigZag's closed form, which over-counts where count_a < dilation/gcd and
/// count_b > stride/gcd (docs/deviations.md).
class WindowPositions {
 public:
  WindowPositions(std::int64_t stride, std::int64_t dilation, std::int64_t size, bool exact)
      : shift_a_(dilation / std::gcd(stride, dilation)),
        shift_b_(stride / std::gcd(stride, dilation)),
        size_(size),
        exact_(exact) {}

  std::int64_t count(std::int64_t count_a, std::int64_t count_b) const {
    // Two pairs meet when a differs by a multiple of shift_a and b by as many of shift_b. Each value is
    // therefore met once more for every pair that can be shifted so.
    const std::int64_t repeated_b = std::max<std::int64_t>(0, count_b - shift_b_);
    const std::int64_t repeated_a =
        exact_ ? std::max<std::int64_t>(0, count_a - shift_a_) : count_a - shift_a_;
    return std::min(size_, count_a * count_b - repeated_b * repeated_a);
  }

 private:
  std::int64_t shift_a_, shift_b_, size_;
  bool exact_;
};

/// The same without a `size` that bounds it.
inline std::int64_t distinct_positions(std::int64_t stride, std::int64_t count_a, std::int64_t dilation,
                                       std::int64_t count_b, bool exact) {
  constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();
  return WindowPositions(stride, dilation, unbounded, exact).count(count_a, count_b);
}

}  // namespace zz::core
