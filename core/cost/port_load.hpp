#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/cost/boundaries.hpp"
#include "core/cost/boundary_cost.hpp"
#include "core/cost/cost_model.hpp"

namespace zz::core {

/// One transfer on a port: for `count` periods of `period` cycles it may use the first `allowed` cycles of
/// each and needs `real` of them.
struct PortActivity {
  std::int64_t real, allowed, period, count;
};

/// Cycles in which at least one of the activities may use the port. Each period divides the longer ones, as
/// those of nested loops do, which allows a closed form instead of marking cycles one by one. Where the
/// array takes longer for long periods than for the short ones in them (ArrayPace), the short ones go on in
/// the cycles that are left: the port is free then. At `enough` cycles it may stop to count.
std::int64_t window_union(std::span<const PortActivity> activities,
                          std::int64_t enough = std::numeric_limits<std::int64_t>::max());

/// All transfers of one port together.
class PortLoad {
 public:
  /// `busy`: cycles that all of the transfer takes.
  void add(const PortActivity& activity, double busy) {
    const std::int64_t repeats = activity.count - 1;
    const std::int64_t stall = (activity.real - activity.allowed) * repeats;
    (stall > 0 ? stalls_ : slack_) += stall;
    windows_ += activity.allowed * repeats;
    activities_[size_++] = activity;
    busy_ += busy;
  }
  /// Cycles for which the port falls behind; negative when a single transfer leaves it time.
  std::int64_t stall() const {
    if (size_ <= 1) return stalls_ + slack_;
    const std::int64_t needed = slack_ + windows_;
    return stalls_ + std::max<std::int64_t>(0, needed - window_union({activities_.data(), size_}, needed));
  }
  /// Cycles for all that goes through it.
  double busy() const { return busy_; }
  std::span<const PortActivity> activities() const { return {activities_.data(), size_}; }

 private:
  /// Uses of one port: each operand at one level in four directions at most.
  static constexpr std::size_t most = max_operands * direction_count;

  std::int64_t stalls_ = 0, slack_ = 0, windows_ = 0;
  double busy_ = 0;
  std::size_t size_ = 0;
  std::array<PortActivity, most> activities_;
};

using Windows = std::array<std::int64_t, Boundaries::most>;

/// By number of the boundary, the cycles of each period, at the pace of the array, in which the data of its
/// level may be exchanged: all where the memory below has room for a second buffer, one bit of
/// `second_buffers` each; else those in which its data are unused.
Windows allowed_windows(const CostTables& tables, const Boundaries& boundaries,
                        const CompactMapping& mapping, const ArrayPace& pace,
                        std::span<const BoundaryCost* const> costs, std::uint64_t second_buffers);

/// The use is of partial sums that do not return under this mapping: nothing moves.
bool is_idle(const Boundaries::PortUse& use, std::span<const BoundaryCost* const> costs);
/// The load of the uses that are not idle, in their order.
PortLoad load_of(const Boundaries::Port& port, const ArrayPace& pace,
                 std::span<const BoundaryCost* const> costs, const Windows& allowed);

/// Cycles of the port for what passes more than once: for all of its transfers but the first portion of
/// each that comes down and the last of each that goes up.
double repeated_cycles(const Boundaries::Port& port, std::span<const BoundaryCost* const> costs);
/// Cycles by which the computation takes longer because the shorter of computation and these cycles hides
/// in part only (Port::overlap).
inline double unhidden_cycles(double overlap, double computation, double repeated) {
  return (1 - overlap) * std::min(computation, repeated);
}

struct PortStall {
  std::string memory, port;
  std::int64_t cycles =
      0;  ///< for which it falls behind during the computation; negative: that it has left
};

/// Stalls of all ports that serve something on the model's accelerator, memory by memory in file order. The
/// units wait for the one that falls behind most.
std::vector<PortStall> port_stalls(const CostModel& model, const Accelerator& accelerator,
                                   const CompactMapping& mapping);
/// Cycles in which each port that serves something is busy, in the same order without ports over which
/// nothing can pass.
std::vector<double> busy_cycles(const CostModel& model, const CompactMapping& mapping);

}  // namespace zz::core
