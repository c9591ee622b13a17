#pragma once
#include <algorithm>
#include <cstdint>

#include "core/cost/transfers.hpp"

namespace zz::core {

/// Cycles before the units can start and after they have finished.
struct Loading {
  double onloading = 0;
  double offloading = 0;
  /// Where the default differs from ZigZag for this mapping (docs/deviations.md).
  bool balance_corrected = false;
  bool half_shared_corrected = false;
};

/// On-loading of one input by how much of its way it shares ports with the other input, in cycles.
struct InputLoading {
  double individual = 0, half_shared = 0, shared = 0;
  int half_shared_links = 0;

  /// A link: from a memory (`from_shared`: through a port that serves both inputs) into the one below it.
  /// True when half-shared links were added up, of which ZigZag keeps the last only.
  bool add(double cycles, bool into_shared, bool from_shared, bool zigzag_compat) {
    if (into_shared && from_shared) {
      shared += cycles;
    } else if (!into_shared && !from_shared) {
      individual += cycles;
    } else if (zigzag_compat || half_shared_links++ == 0) {
      half_shared = cycles;
    } else {
      half_shared += cycles;
      return true;
    }
    return false;
  }
};

/// On-loading of one input, or of two side by side.
inline double combined_onloading(const InputLoading& input) {
  return input.individual + input.half_shared + input.shared;
}
inline double combined_onloading(const InputLoading& p, const InputLoading& q) {
  return std::min(
      p.shared + std::max(q.shared + q.half_shared + q.individual, p.half_shared + p.individual),
      q.shared + std::max(p.shared + p.half_shared + p.individual, q.half_shared + q.individual));
}

/// Cycles of a port that transfers which need `required` bits per cycle leave free while the units compute.
inline double spare_port_cycles(double bandwidth_max, double required, std::int64_t computation_cycles) {
  const double free_share = (bandwidth_max - required) / bandwidth_max;
  return std::max(0.0, free_share * static_cast<double>(computation_cycles));
}

/// The time to bring the first data from the top memory down to the units and the last results back up,
/// less what fits into spare port cycles during the computation, if these are used.
/// `computation_cycles` includes stalls.
Loading loading_cycles(const CostTables& tables, const Transfers& transfers, const DataFootprint& data,
                       std::int64_t computation_cycles, bool use_spare_cycles, bool zigzag_compat);

}  // namespace zz::core
