#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Counts the distinct values of stride*a + dilation*b for 0 <= a < count_a, 0 <= b < count_b: the
/// positions of a data dimension that two loops touch. At most `size`, the extent of the dimension.
///
/// `overcounted` is Rules::overcounted_window_positions: ZigZag's closed form, which over-counts where
/// count_a < dilation/gcd and count_b > stride/gcd.
class WindowPositions {
 public:
  WindowPositions(std::int64_t stride, std::int64_t dilation, std::int64_t size, bool overcounted)
      : shift_a_(dilation / std::gcd(stride, dilation)),
        shift_b_(stride / std::gcd(stride, dilation)),
        size_(size),
        overcounted_(overcounted) {}

  std::int64_t count(std::int64_t count_a, std::int64_t count_b) const {
    // Two pairs meet when a differs by a multiple of shift_a and b by as many of shift_b. Each value is
    // therefore met once more for every pair that can be shifted so.
    const std::int64_t repeated_b = std::max<std::int64_t>(0, count_b - shift_b_);
    const std::int64_t repeated_a =
        overcounted_ ? count_a - shift_a_ : std::max<std::int64_t>(0, count_a - shift_a_);
    return std::min(size_, count_a * count_b - repeated_b * repeated_a);
  }

 private:
  std::int64_t shift_a_, shift_b_, size_;
  bool overcounted_;
};

/// The same without a `size` that bounds it.
inline std::int64_t distinct_positions(std::int64_t stride, std::int64_t count_a, std::int64_t dilation,
                                       std::int64_t count_b, bool overcounted) {
  constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();
  return WindowPositions(stride, dilation, unbounded, overcounted).count(count_a, count_b);
}

/// A relation of a layer as numbers.
struct Window {
  WindowPositions positions;
  int output_loop, filter_loop;  ///< index into Layer::loops, -1 when the layer has no such loop

  /// The positions of so many iterations. `iterations(loop)`: a whole number.
  template <class Iterations>
  std::int64_t count(const Iterations& iterations) const {
    const auto of = [&](int loop) { return loop < 0 ? 1 : static_cast<std::int64_t>(iterations(loop)); };
    return positions.count(of(output_loop), of(filter_loop));
  }
};

/// In the order of Layer::relations.
std::vector<Window> windows_of(const Layer& layer, const Rules& rules);

}  // namespace zz::core
