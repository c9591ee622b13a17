#pragma once
#include <algorithm>
#include <array>
#include <cmath>
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
  double passing = 1;  ///< LevelTransfer::passing: the share of the portions that takes these cycles
};

/// Cycles in which at least one of the activities may use the port. Each period divides the longer ones, as
/// those of nested loops do, which allows a closed form instead of marking cycles one by one. Where the
/// array takes longer for long periods than for the short ones in them (ArrayPace), the short ones go on in
/// the cycles that are left: the port is free then. At `enough` cycles it may stop to count.
std::int64_t window_union(std::span<const PortActivity> activities,
                          std::int64_t enough = std::numeric_limits<std::int64_t>::max());

/// The cycles of each period in which data over a boundary may be exchanged, at the pace of the array: all
/// where the memory below has room for a second buffer; else those in which its data are unused, the last
/// iterations of the outermost loops that are irrelevant to them.
///
/// With ragged tiles (TilesBelow) each size of portion has a period and a window of its own.
class Windows {
 public:
  /// `second_buffers`: boundaries, one bit each. All else must outlive the object.
  Windows(const CostTables& tables, const Boundaries& boundaries, const CompactMapping& mapping,
          const ArrayPace& pace, std::span<const BoundaryCost* const> costs, std::uint64_t second_buffers);

  /// The window of the first portion, which is whole.
  std::int64_t operator[](int boundary) const { return first_[static_cast<std::size_t>(boundary)]; }
  /// The window of a portion in these last tiles, which has such a period (BoundaryCost::period).
  std::int64_t of(int boundary, LastTiles last, std::int64_t period) const;
  /// Data over the boundary may be exchanged at any time.
  bool is_open(int boundary) const { return used_loops(boundary) < 0; }
  /// Cycles of the whole nest that lie in some window of these boundaries, none of which is open: as
  /// window_union(), for tiles that do not divide their loop.
  std::int64_t together(std::span<const int> boundaries) const;

 private:
  /// The loops below the boundary but the outermost ones that leave its data unused; -1: data may be
  /// exchanged during the whole period.
  int used_loops(int boundary) const;
  std::int64_t steps_below(int loops, LastTiles last) const;

  const CostTables& tables_;
  const Boundaries& boundaries_;
  const CompactMapping& mapping_;
  const ArrayPace& pace_;
  std::uint64_t second_buffers_;
  bool ragged_;
  std::array<std::int64_t, Boundaries::most> first_;
};

/// All transfers of one port together. Windows and periods are those of an array that skips no step; it
/// makes a share of them (StepCycles::made), as long as which they last.
class PortLoad {
 public:
  explicit PortLoad(double made = 1) : made_(made) {}

  /// A transfer whose portions are all alike. `busy`: cycles that all of it takes.
  void add(const PortActivity& activity, double busy) {
    add_size(activity, activity.count - 1);
    add_transfer(activity, busy);
  }
  /// A transfer of portions of several sizes, from the first one to the last, one of which is moved before
  /// or after all others: the first one, or the last. Needs give() before figures are asked for.
  void add(std::span<const PortActivity> sizes, bool last_is_once, double busy);
  /// No transfer has portions of several sizes, or give() was called.
  bool is_given() const { return sizes_.empty() || given_ >= 0; }
  /// Tells the cycles in which at least one of the transfers may move.
  void give(std::int64_t cycles) { given_ = cycles; }
  /// The longest that all periods of one transfer are together.
  std::int64_t longest_periods() const;

  /// Cycles for which the port falls behind; negative when a single transfer leaves it time.
  double stall() const {
    if (size_ <= 1) return beyond(stalls_) > 0 ? beyond(stalls_) : beyond(slack_);
    const PortTime needed{slack_.real, -stalls_.windows, slack_.in_part};
    const auto enough = static_cast<std::int64_t>(std::ceil(beyond(needed) / made_));
    return beyond(stalls_) +
           std::max(0.0, beyond({needed.real, needed.windows + given(enough), needed.in_part}));
  }
  /// Share of windows and periods that lasts.
  double made() const { return made_; }
  /// Cycles in which at least one of its transfers may move, as of windows. At `enough` it may stop to
  /// count.
  std::int64_t given(std::int64_t enough = std::numeric_limits<std::int64_t>::max()) const {
    return given_ >= 0 ? given_ : window_union(activities(), enough);
  }
  /// Cycles for all that goes through it.
  double busy() const { return busy_; }
  /// The first portion of each transfer, with the number of all.
  std::span<const PortActivity> activities() const { return {activities_.data(), size_}; }

  /// Calls `visit(activity, repeats)` for each size of portion of a transfer. `repeats`: how many of these
  /// are moved during the computation.
  template <class Visit>
  void for_each_size(std::size_t transfer, const Visit& visit) const {
    bool several = false;
    for (const SizeOfTransfer& one : sizes_) {
      if (one.transfer != transfer) continue;
      several = true;
      visit(one.activity, one.repeats);
    }
    const PortActivity& alike = activities_[transfer];
    if (!several) visit(alike, alike.count - 1);
  }

 private:
  /// Uses of one port: each operand at one level in four directions at most.
  static constexpr std::size_t most = max_operands * direction_count;

  struct SizeOfTransfer {
    std::size_t transfer;
    PortActivity activity;
    std::int64_t repeats;
  };
  /// Cycles of transfers, and windows that they have for them.
  struct PortTime {
    std::int64_t real = 0, windows = 0;
    double in_part = 0;  ///< cycles of transfers some portions of which do not pass; not in `real`
  };
  /// Cycles beyond the windows.
  double beyond(const PortTime& time) const {
    if (made_ == 1) return static_cast<double>(time.real - time.windows);
    return static_cast<double>(time.real) + time.in_part - made_ * static_cast<double>(time.windows);
  }
  void add_size(const PortActivity& activity, std::int64_t repeats) {
    PortTime time{activity.real * repeats, activity.allowed * repeats};
    if (activity.passing < 1) {
      time.in_part = activity.passing * static_cast<double>(time.real);
      time.real = 0;
    }
    PortTime& sum = beyond(time) > 0 ? stalls_ : slack_;
    sum.real += time.real;
    sum.windows += time.windows;
    sum.in_part += time.in_part;
  }
  void add_transfer(const PortActivity& activity, double busy) {
    activities_[size_++] = activity;
    busy_ += busy;
  }

  double made_;
  PortTime stalls_, slack_;  ///< of portions that take longer than their windows, and of others
  std::int64_t given_ = -1;
  double busy_ = 0;
  std::size_t size_ = 0;
  std::array<PortActivity, most> activities_;
  std::vector<SizeOfTransfer> sizes_;
};

/// The use is of partial sums that do not return under this mapping: nothing moves.
bool is_idle(const Boundaries::PortUse& use, std::span<const BoundaryCost* const> costs);
/// The load of the uses that are not idle, in their order.
PortLoad load_of(const Boundaries::Port& port, const ArrayPace& pace,
                 std::span<const BoundaryCost* const> costs, const Windows& windows);

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
  double cycles = 0;  ///< for which it falls behind during the computation; negative: that it has left
};

/// Stalls of all ports that serve something on the model's accelerator, memory by memory in file order. The
/// units wait for the one that falls behind most.
std::vector<PortStall> port_stalls(const CostModel& model, const Accelerator& accelerator,
                                   const CompactMapping& mapping);
/// Cycles in which each port that serves something is busy, in the same order without ports over which
/// nothing can pass.
std::vector<double> busy_cycles(const CostModel& model, const CompactMapping& mapping);

}  // namespace zz::core
