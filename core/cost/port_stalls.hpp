#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "core/cost/memory_use.hpp"
#include "core/cost/transfers.hpp"
#include "core/cost/window_union.hpp"

namespace zz::core {

/// Cycles that a transfer occupies its port per portion: 0 without a port.
std::int64_t real_cycles(const CostTables& tables, const Transfers& transfers, const Service& service);

/// The same number of cycles of the computation, when an operation takes several cycles.
std::int64_t scaled_cycles(std::int64_t cycles, double cycles_per_operation);

/// All transfers of one port together.
class PortLoad {
 public:
  void clear() { stalls_ = slack_ = windows_ = 0, size_ = 0; }
  void add(const PortActivity& activity) {
    const std::int64_t repeats = activity.count - 1;
    const std::int64_t stall = (activity.real - activity.allowed) * repeats;
    (stall > 0 ? stalls_ : slack_) += stall;
    windows_ += activity.allowed * repeats;
    activities_[size_++] = activity;
  }
  /// Cycles for which the port falls behind; negative when a single transfer leaves it time.
  std::int64_t stall() const {
    if (size_ <= 1) return stalls_ + slack_;
    const std::int64_t needed = slack_ + windows_;
    return stalls_ + std::max<std::int64_t>(0, needed - window_union({activities_.data(), size_}));
  }

 private:
  /// A port serves each operand at one level in four directions at most.
  static constexpr std::size_t max_activities = max_operands * direction_count;
  std::int64_t stalls_ = 0, slack_ = 0, windows_ = 0;
  std::size_t size_ = 0;
  std::array<PortActivity, max_activities> activities_;
};

/// Cycles for which the units wait for memory ports while they compute: the largest over all ports, 0 when
/// none falls behind. (L. Mei et al., A Uniform Latency Model for DNN Accelerators, DATE 2022.)
std::int64_t stall_cycles(const CostTables& tables, const Transfers& transfers, const MemoryUse& use);

}  // namespace zz::core
