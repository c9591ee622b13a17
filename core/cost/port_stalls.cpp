#include "core/cost/port_stalls.hpp"

#include <algorithm>
#include <cmath>

#include "core/cost/rounding.hpp"

namespace zz::core {
std::int64_t scaled_cycles(std::int64_t cycles, double cycles_per_operation) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(cycles) * cycles_per_operation));
}

std::int64_t real_cycles(const CostTables& tables, const Transfers& transfers, const Service& service) {
  const int direction = static_cast<int>(service.direction);
  const double bandwidth = tables.operands[service.operand].port[service.level][direction].bandwidth_max;
  if (bandwidth == 0) return 0;
  const LevelTransfer& transfer = transfers.of[service.operand][service.level][direction];
  return ceil_quotient(transfer.elements * transfer.precision, bandwidth);
}

std::int64_t stall_cycles(const CostTables& tables, const Transfers& transfers, const MemoryUse& use) {
  std::int64_t worst = 0;
  PortLoad load;
  for (const PortTable& port : tables.ports) {
    load.clear();
    for (const Service& service : port.services) {
      const LevelTransfer& transfer = transfers.at(service.operand, service.level, service.direction);
      if (transfer.count == 0) continue;
      const bool low_side =
          service.direction == Direction::read_to_low || service.direction == Direction::write_from_low;
      const int level = low_side ? service.level : service.level + 1;
      const bool whole_period = use.double_buffered[service.operand][level];
      load.add(
          {real_cycles(tables, transfers, service),
           scaled_cycles(whole_period ? transfer.period : transfer.window, tables.cycles_per_operation),
           scaled_cycles(transfer.period, tables.cycles_per_operation), transfer.count});
    }
    worst = std::max(worst, load.stall());
  }
  return worst;
}

}  // namespace zz::core
