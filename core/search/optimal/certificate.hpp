#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "core/mapping/compact_mapping.hpp"

namespace zz::core {

/// What is minimised: energy_total (pJ), latency_total2 (cycles), or their product.
enum class Objective { energy, latency, edp };

/// What a search minimises among mappings that do not exceed some figure.
struct Goal {
  Goal(Objective minimised) : objective(minimised) {}

  Objective objective;
  double most_energy = std::numeric_limits<double>::infinity();   ///< pJ
  double most_latency = std::numeric_limits<double>::infinity();  ///< cycles
  double least_energy = 0, least_latency = 0;                     ///< no mapping has less

  bool needs_energy() const {
    return objective != Objective::latency || most_energy < std::numeric_limits<double>::infinity();
  }
  /// Infinite for what exceeds. Does not fall when energy or latency rise.
  double of(double energy, double latency) const {
    if (energy > most_energy || latency > most_latency) return std::numeric_limits<double>::infinity();
    energy = std::max(energy, least_energy);
    latency = std::max(latency, least_latency);
    if (objective == Objective::edp) return energy * latency;
    return objective == Objective::energy ? energy : latency;
  }
};

/// When a search may end before its result is proven best. It then gives what it has.
struct SearchLimits {
  double seconds = std::numeric_limits<double>::infinity();  ///< processor time
  double gap = 0;  ///< a proven gap that is small enough, as a fraction of the lower bound
  std::size_t bytes = std::size_t{1} << 30;                          ///< for labels
  std::uint64_t states = std::numeric_limits<std::uint64_t>::max();  ///< partial mappings to look at
  std::function<bool()> cancelled;                                   ///< asked now and then; may be empty

  bool stop(double seconds_so_far, std::size_t bytes_now) const {
    return seconds_so_far > seconds || bytes_now > bytes || (cancelled && cancelled());
  }
};

/// A mapping, and how far from the best of its space it may be.
struct Certificate {
  CompactMapping mapping;
  double value = std::numeric_limits<double>::infinity();  ///< of the objective, by CostModel
  double lower_bound = 0;                                  ///< no mapping of the space has a smaller value
  std::uint64_t states = 0;                                ///< partial mappings that were looked at
  /// Of all mappings with this value, none has a smaller latency, when the energy is minimised, or energy,
  /// when the latency is. 0: that was not asked.
  double second_bound = 0;

  bool found() const { return value < std::numeric_limits<double>::infinity(); }
  /// At most this fraction of the lower bound could be saved; 0 when the mapping is proven best.
  double gap() const { return value > lower_bound ? value / lower_bound - 1 : 0; }
};

/// Sums of the same figures in another order differ in their last digits; no more is made of differences
/// below this fraction.
inline constexpr double rounding_tolerance = 1e-9;

}  // namespace zz::core
