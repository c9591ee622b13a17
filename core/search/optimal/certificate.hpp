#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "core/mapping/compact_mapping.hpp"
#include "core/search/methods/objective.hpp"

namespace zz::core {

/// As a value: no mapping was found. As a limit: there is none.
inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// Relative difference below which two values count as equal. Sums of the same numbers in another order
/// differ in their last digits.
inline constexpr double rounding_tolerance = 1e-9;

/// By which fraction of a lower bound a value may be too high; 0 where the two count as equal.
inline double gap_above(double lower_bound, double value) {
  return value > lower_bound * (1 + rounding_tolerance) ? value / lower_bound - 1 : 0;
}

/// When a search may stop before its result is proven best. It then returns the best mapping found so far
/// and the bound proven so far.
struct SearchLimits {
  double seconds = infinite;                 ///< processor time of the calling thread
  double gap = 0;                            ///< stop at this proven gap, a fraction of the lower bound
  std::size_t bytes = std::size_t{1} << 30;  ///< memory for partial mappings
  std::uint64_t states = std::numeric_limits<std::uint64_t>::max();  ///< partial mappings to look at
  std::function<bool()> cancelled;                                   ///< polled; may be empty

  bool stop(double seconds_so_far, std::size_t bytes_now) const {
    return seconds_so_far > seconds || bytes_now > bytes || (cancelled && cancelled());
  }
};

/// Limits of the mappings that compete.
struct MappingLimits {
  double most_energy = infinite;   ///< pJ
  double most_latency = infinite;  ///< cycles
  bool any() const { return most_energy < infinite || most_latency < infinite; }
};

/// A temporal mapping with a proof of how good it is.
struct Certificate {
  CompactMapping mapping;
  /// The objective's value of the mapping, as CostModel computes it. Infinite: no mapping was found.
  double value = infinite;
  double lower_bound = 0;    ///< no mapping of the searched space has a smaller value
  std::uint64_t states = 0;  ///< partial mappings that were looked at
  /// A lower bound among all mappings with this value: of the latency if the energy is minimised, of the
  /// energy if the latency is. 0: not searched.
  double second_bound = 0;

  bool found() const { return value < infinite; }
  /// The mapping is at most this fraction of the lower bound above the best one. 0: proven best.
  double gap() const { return gap_above(lower_bound, value); }
};

}  // namespace zz::core
