#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "core/cost/boundaries.hpp"
#include "core/cost/boundary_cost.hpp"
#include "core/cost/window_union.hpp"

namespace zz::core {

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
    return stalls_ + std::max<std::int64_t>(0, needed - window_union({activities_.data(), size_}));
  }
  /// Cycles for all that goes through it.
  double busy() const { return busy_; }

 private:
  /// Uses of one port: each operand at one level in four directions at most.
  static constexpr std::size_t most = max_operands * direction_count;

  std::int64_t stalls_ = 0, slack_ = 0, windows_ = 0;
  double busy_ = 0;
  std::size_t size_ = 0;
  std::array<PortActivity, most> activities_;
};

using Windows = std::array<std::int64_t, Boundaries::most>;

/// By number of the boundary, the cycles of each period in which the data of its level may be exchanged:
/// all where the memory below has room for a second buffer, one bit of `second_buffers` each; else those in
/// which its data are unused.
Windows allowed_windows(const CostTables& tables, const Boundaries& boundaries,
                        const CompactMapping& mapping, std::span<const BoundaryCost* const> costs,
                        std::uint64_t second_buffers);

PortLoad load_of(const Boundaries::Port& port, std::span<const BoundaryCost* const> costs,
                 const Windows& allowed);

}  // namespace zz::core
