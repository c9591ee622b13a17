#pragma once
#include <cmath>

#include "core/search/optimal/certificate.hpp"

namespace zz::core {

/// The whole cycles that it takes at least to move what needs so many, which are a sum of rounded numbers.
inline double whole_cycles(double cycles) {
  constexpr double rounding = 1e-3;
  return std::ceil(cycles * (1 - rounding_tolerance) - rounding);
}

}  // namespace zz::core
