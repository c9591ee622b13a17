#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// A product of unrollings, which are quotients of whole numbers, without the noise of the divisions: a
/// value next to a whole number is that number.
inline double snapped(double value) {
  constexpr double noise = 1e-12;  // relative; above some hundred roundings
  const double whole = std::nearbyint(value);
  return std::abs(value - whole) <= noise * whole ? whole : value;
}

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

  /// Some positions are skipped, so that `overcounted` makes a difference for whole numbers.
  bool dilated() const { return shift_a_ > 1; }

  std::int64_t count(std::int64_t count_a, std::int64_t count_b) const {
    // Two pairs meet when a differs by a multiple of shift_a and b by as many of shift_b. Each value is
    // therefore met once more for every pair that can be shifted so.
    const std::int64_t repeated_b = std::max<std::int64_t>(0, count_b - shift_b_);
    const std::int64_t repeated_a =
        overcounted_ ? count_a - shift_a_ : std::max<std::int64_t>(0, count_a - shift_a_);
    return std::min(size_, count_a * count_b - repeated_b * repeated_a);
  }

  /// The same for numbers of iterations that are averages over rounds: 3.5 are 4 in one round and 3 in the
  /// next, so that the positions lie between those of 3 and of 4. `overcounted` cuts averages to whole
  /// numbers, as ZigZag does.
  double average(double average_a, double average_b) const {
    const double a = overcounted_ ? std::trunc(average_a) : snapped(average_a);
    const double b = overcounted_ ? std::trunc(average_b) : snapped(average_b);
    const auto at = [&](double whole_a, double whole_b) {
      return static_cast<double>(
          count(static_cast<std::int64_t>(whole_a), static_cast<std::int64_t>(whole_b)));
    };
    const double low_a = std::floor(a), low_b = std::floor(b);
    const auto between_b = [&](double whole_a) {
      const double low = at(whole_a, low_b);
      return b == low_b ? low : low + (at(whole_a, low_b + 1) - low) * (b - low_b);
    };
    const double low = between_b(low_a);
    return a == low_a ? low : low + (between_b(low_a + 1) - low) * (a - low_a);
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
  /// The same where `iterations(loop)` is an average over rounds.
  template <class Iterations>
  double average(const Iterations& iterations) const {
    const auto of = [&](int loop) { return loop < 0 ? 1.0 : static_cast<double>(iterations(loop)); };
    return positions.average(of(output_loop), of(filter_loop));
  }
};

/// In the order of Layer::relations.
std::vector<Window> windows_of(const Layer& layer, const Rules& rules);

}  // namespace zz::core
