#include "core/cost/memory_energy.hpp"

#include <cmath>

#include "core/cost/rounding.hpp"

namespace zz::core {

/// An access moves bandwidth_max bits; a transfer is padded to multiples of bandwidth_min and charged pro
/// rata. The order of the operations decides the last digit.
std::int64_t count_accesses(const LevelTransfer& transfer, const TransferPort& port, double units) {
  if (transfer.elements == 0 || transfer.precision == 0) return 0;
  const double portions = std::ceil(transfer.elements * transfer.precision / port.bandwidth_min);
  return truncate(portions * (port.bandwidth_min / port.bandwidth_max) *
                  static_cast<double>(transfer.count) * units);
}

MemoryEnergy::MemoryEnergy(const CostTables& tables, const SpatialTables& unrolling,
                           const Transfers& transfers) {
  for (int index = 0; index < tables.operand_count; ++index) {
    const OperandTable& operand = tables.operands[index];
    for (int level = 0; level < operand.levels; ++level) {
      auto& counted = accesses[index][level];
      auto& energy = by_direction[index][level];
      for (int direction = 0; direction < direction_count; ++direction) {
        const LevelTransfer& transfer = transfers.of[index][level][direction];
        const TransferPort& port = operand.port[level][direction];
        if (port.bandwidth_max == 0 && transfer.elements != 0) missing_port = true;
        counted[direction] = count_accesses(transfer, port, unrolling[index].unit_count[level + 1]);
        energy[direction] = static_cast<double>(counted[direction]) * operand.energy[level][direction];
      }
      const auto of = [&](Direction direction) { return energy[static_cast<int>(direction)]; };
      by_level[index][level] = (of(Direction::read_to_high) + of(Direction::read_to_low)) +
                               (of(Direction::write_from_high) + of(Direction::write_from_low));
      total += by_level[index][level];
    }
  }
}

}  // namespace zz::core
