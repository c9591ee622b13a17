#include "core/cost/port_stalls.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/cost/rounding.hpp"
#include "core/cost/window_union.hpp"

namespace zz::core {
namespace {

/// A port serves each operand at one level in four directions at most.
constexpr std::size_t max_services = max_operands * direction_count;

std::int64_t scaled(std::int64_t cycles, double cycles_per_operation) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(cycles) * cycles_per_operation));
}

std::int64_t combined_stall(std::span<const PortActivity> activities) {
  if (activities.empty()) return 0;
  std::int64_t stalls = 0;
  std::int64_t slack = 0;
  std::int64_t windows = 0;
  for (const PortActivity& activity : activities) {
    const std::int64_t stall = (activity.real - activity.allowed) * (activity.count - 1);
    (stall > 0 ? stalls : slack) += stall;
    windows += activity.allowed * (activity.count - 1);
  }
  if (activities.size() == 1) return stalls + slack;
  return stalls + std::max<std::int64_t>(0, slack + windows - window_union(activities));
}

}  // namespace

std::int64_t real_cycles(const CostTables& tables, const Transfers& transfers, const Service& service) {
  const int direction = static_cast<int>(service.direction);
  const double bandwidth = tables.operands[service.operand].port[service.level][direction].bandwidth_max;
  if (bandwidth == 0) return 0;
  const Transfer& transfer = transfers.of[service.operand][service.level][direction];
  return ceil_quotient(transfer.elements * transfer.precision, bandwidth);
}

std::int64_t stall_cycles(const CostTables& tables, const Transfers& transfers, const MemoryUse& use) {
  std::int64_t worst = 0;
  for (const PortTable& port : tables.ports) {
    std::array<PortActivity, max_services> activities;
    std::size_t count = 0;
    for (const Service& service : port.services) {
      const Transfer& transfer = transfers.at(service.operand, service.level, service.direction);
      if (transfer.count == 0) continue;
      const bool low_side =
          service.direction == Direction::read_to_low || service.direction == Direction::write_from_low;
      const int level = low_side ? service.level : service.level + 1;
      const bool whole_period = use.double_buffered[service.operand][level];
      activities[count++] = {
          real_cycles(tables, transfers, service),
          scaled(whole_period ? transfer.period : transfer.window, tables.cycles_per_operation),
          scaled(transfer.period, tables.cycles_per_operation), transfer.count};
    }
    worst = std::max(worst, combined_stall({activities.data(), count}));
  }
  return worst;
}

}  // namespace zz::core
