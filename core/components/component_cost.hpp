#pragma once
#include <cmath>
#include <limits>

namespace zz::core::components {

/// A figure of a component with the range in which its sources, or nine in ten of the points that were kept
/// back, lie. NaN in all three: nobody knows.
struct Estimate {
  double value = std::numeric_limits<double>::quiet_NaN();
  double low = value, high = value;

  bool known() const { return !std::isnan(value); }
};

/// The way in which an answer follows from published points.
enum class Standing {
  tabulated,     ///< the points themselves
  fitted,        ///< a form that is fitted to the points
  interpolated,  ///< between two technology nodes, or two formats
  scaled,        ///< to another node by published factors
};

/// The costs of a component.
struct ComponentCost {
  Estimate energy;        ///< pJ: one read of the full width, one operation, one conversion, one bit moved
  Estimate write_energy;  ///< pJ: one write of the full width; of memories only
  Estimate area;          ///< mm2
  Estimate leakage;       ///< mW
  Estimate access_time;   ///< ns
  Standing standing = Standing::tabulated;
  bool is_extrapolated = false;  ///< beyond the points, whatever the standing
  const char* source = "";       ///< who published the points; lives for ever
};

/// "tabulated", "fitted", "interpolated", "extrapolated", "scaled, not fitted", "extrapolated and scaled".
inline const char* standing_of(const ComponentCost& cost) {
  if (cost.is_extrapolated)
    return cost.standing == Standing::scaled ? "extrapolated and scaled" : "extrapolated";
  switch (cost.standing) {
    case Standing::tabulated:
      return "tabulated";
    case Standing::fitted:
      return "fitted";
    case Standing::interpolated:
      return "interpolated";
    case Standing::scaled:
      break;
  }
  return "scaled, not fitted";
}

/// `value` within a factor either way.
inline Estimate estimate(double value, double factor) { return {value, value / factor, value * factor}; }

/// `count` times a component.
inline Estimate operator*(const Estimate& one, double count) {
  return {one.value * count, one.low * count, one.high * count};
}

/// Both together; not known when one of them is not.
inline Estimate operator+(const Estimate& a, const Estimate& b) {
  return {a.value + b.value, a.low + b.low, a.high + b.high};
}

}  // namespace zz::core::components
