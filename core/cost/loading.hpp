#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

namespace zz::core {

/// On-loading of one input by how much of its way it shares ports with the other input, in cycles.
struct InputLoading {
  double individual = 0, half_shared = 0, shared = 0;
  int half_shared_boundaries = 0;

  double all() const { return shared + half_shared + individual; }
  double rest() const { return half_shared + individual; }

  /// A boundary: from the memory above it (`from_shared`: through a port that serves both inputs) into the
  /// one below it. True when half-shared boundaries were added up, of which ZigZag keeps the last only
  /// (Rules::highest_half_shared_only).
  bool add(double cycles, bool into_shared, bool from_shared, bool highest_half_shared_only) {
    if (into_shared && from_shared) {
      shared += cycles;
    } else if (!into_shared && !from_shared) {
      individual += cycles;
    } else if (highest_half_shared_only || half_shared_boundaries++ == 0) {
      half_shared = cycles;
    } else {
      half_shared += cycles;
      return true;
    }
    return false;
  }
};

/// On-loading of two inputs where ports that serve both serve `first` first.
inline double onloading_behind(const InputLoading& first, const InputLoading& second) {
  return first.shared + std::max(second.all(), first.rest());
}

/// On-loading of one input, or of two side by side.
inline double combined_onloading(const InputLoading& input) {
  return input.individual + input.half_shared + input.shared;
}
inline double combined_onloading(const InputLoading& p, const InputLoading& q) {
  return std::min(onloading_behind(p, q), onloading_behind(q, p));
}

/// Which parts of the loading of two inputs side by side make up combined_onloading(): what goes through
/// ports that serve both, and the rest.
struct CountedLoading {
  bool p_shared, p_rest, q_shared, q_rest;
};
inline CountedLoading counted_loading(const InputLoading& p, const InputLoading& q) {
  const bool p_first = onloading_behind(p, q) <= onloading_behind(q, p);
  const bool waits_for_second = p_first ? q.all() >= p.rest() : p.all() >= q.rest();
  const bool rest_of_first = !waits_for_second;
  return p_first ? CountedLoading{true, rest_of_first, waits_for_second, waits_for_second}
                 : CountedLoading{waits_for_second, waits_for_second, true, rest_of_first};
}

/// Cycles of a port that transfers which need `required` bits per cycle leave free while the units compute.
inline double spare_port_cycles(double bandwidth_max, double required, double computation_cycles) {
  const double free_share = (bandwidth_max - required) / bandwidth_max;
  return std::max(0.0, free_share * computation_cycles);
}

/// One transfer that happens once: the cycles that it takes, and the part of them that cannot be hidden
/// because the units need that data before they can start (or end). Whole numbers.
struct OneTimeTransfer {
  double cycles, minimum;
};

inline double least_cycles(const OneTimeTransfer& transfer) {
  return std::min(transfer.cycles, transfer.minimum);
}
/// Cycles left of a transfer whose port has `spare` cycles, whatever other transfers hide there: that the
/// port has time for all of them, the latency of all that goes through it ensures.
inline double cycles_left(const OneTimeTransfer& transfer, double spare) {
  return std::max(least_cycles(transfer), transfer.cycles - spare);
}

/// Rules::stalls_hide_at_every_port: transfers share `spare` cycles. Takes them from the longest one first
/// (equal ones in their order), from each no more than it has above its minimum. (ZigZag 3.9.)
///
/// `loading_below_minimum` (Rules): as ZigZag 3.8.5, which takes a step from the longest ones together
/// without bounds, so that some may fall below their minimum, even under zero, or grow.
void hide_transfers(std::span<OneTimeTransfer> transfers, double spare, bool loading_below_minimum);

}  // namespace zz::core
