#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace zz::core {

/// A lower bound, and a close one, of the least s + loading(s) for whole s in [from, to], where `loading`
/// does not rise with s, and falls by at most `rate` with each cycle.
template <class Loading>
double least_between(double from, double to, double rate, const Loading& loading) {
  struct Range {
    double from, to, at_from, at_to;
    double bound(double rate) const {
      // Both lines are below the figure: meeting from the left and from the right.
      const double meeting = from + std::min(to - from, std::max(0.0, (at_from - at_to) / rate));
      return meeting + at_to;
    }
  };
  constexpr int most_steps = 8;
  std::array<Range, most_steps + 1> ranges;
  ranges[0] = {from, to, loading(from), loading(to)};
  std::size_t count = 1;
  double attained = std::min(from + ranges[0].at_from, to + ranges[0].at_to);
  for (int step = 0;; ++step) {
    std::size_t lowest = 0;
    for (std::size_t i = 1; i < count; ++i)
      if (ranges[i].bound(rate) < ranges[lowest].bound(rate)) lowest = i;
    const Range range = ranges[lowest];
    const double bound = range.bound(rate);
    if (step == most_steps || bound >= attained * (1 - 1e-4) || range.to - range.from <= 1) {
      return std::min(bound, attained);
    }
    const double middle = std::floor((range.from + range.to) / 2);
    const double at_middle = loading(middle);
    attained = std::min(attained, middle + at_middle);
    ranges[lowest] = {range.from, middle, range.at_from, at_middle};
    ranges[count++] = {middle, range.to, at_middle, range.at_to};
  }
}

}  // namespace zz::core
