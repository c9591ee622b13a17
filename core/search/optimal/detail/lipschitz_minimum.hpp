#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace zz::core {

/// A close lower bound of the minimum of s + loading(s) over whole s in [from, to], where `loading` does
/// not rise with s and falls by at most `rate` with each cycle.
///
/// Piyavskii-Shubert: bounds the function from both ends of an interval by its slopes, and halves the
/// interval with the lowest bound, at most eight times (Piyavskii, USSR Comp. Math. 12, 1972; Shubert, SIAM
/// J. Numer. Anal. 9, 1972).
template <class Loading>
double lipschitz_minimum(double from, double to, double rate, const Loading& loading) {
  struct Interval {
    double from, to, at_from, at_to;  ///< loading at the ends
    double bound(double rate) const {
      const double meeting = from + std::min(to - from, std::max(0.0, (at_from - at_to) / rate));
      return meeting + at_to;
    }
  };
  constexpr int max_steps = 8;
  std::array<Interval, max_steps + 1> intervals;
  intervals[0] = {from, to, loading(from), loading(to)};
  std::size_t count = 1;
  double attained = std::min(from + intervals[0].at_from, to + intervals[0].at_to);
  for (int step = 0;; ++step) {
    std::size_t lowest = 0;
    for (std::size_t i = 1; i < count; ++i)
      if (intervals[i].bound(rate) < intervals[lowest].bound(rate)) lowest = i;
    const Interval interval = intervals[lowest];
    const double bound = interval.bound(rate);
    if (step == max_steps || bound >= attained * (1 - 1e-4) || interval.to - interval.from <= 1)
      return std::min(bound, attained);
    const double middle = std::floor((interval.from + interval.to) / 2);
    const double at_middle = loading(middle);
    attained = std::min(attained, middle + at_middle);
    intervals[lowest] = {interval.from, middle, interval.at_from, at_middle};
    intervals[count++] = {middle, interval.to, at_middle, interval.at_to};
  }
}

}  // namespace zz::core
