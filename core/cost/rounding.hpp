#pragma once
#include <cmath>
#include <cstdint>

namespace zz::core {

/// Rounds halves to the even neighbour, as Python does; relies on the default rounding mode.
inline double round_half_even(double value) { return std::nearbyint(value); }

inline std::int64_t truncate(double value) { return static_cast<std::int64_t>(value); }

/// The smallest whole number that is not below a / b, the quotient rounded to a double first, as Python's
/// ceil(a / b).
inline std::int64_t ceil_quotient(double a, double b) {
  return static_cast<std::int64_t>(std::ceil(a / b));
}

/// Rounds in which so many units on average do all iterations of a loop. The units are a quotient of the
/// loop, rounded: a plain ceil would sometimes see one round too many.
inline double rounds_of(double iterations, double units) {
  const double rounds = iterations / units;
  return std::ceil(rounds - rounds * 1e-12);
}

/// The width of a port through which any transfer takes no cycle: wider than what a file may say.
inline constexpr std::int64_t width_without_time = std::int64_t{1} << 54;

}  // namespace zz::core
