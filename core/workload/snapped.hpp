#pragma once
#include <cmath>

namespace zz::core {

/// A product of unrollings, which are quotients of whole numbers, without the noise of the divisions: a
/// value next to a whole number is that number.
inline double snapped(double value) {
  constexpr double noise = 1e-12;  // relative; above some hundred roundings
  const double whole = std::nearbyint(value);
  return std::abs(value - whole) <= noise * whole ? whole : value;
}

}  // namespace zz::core
