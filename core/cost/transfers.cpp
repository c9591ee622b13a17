#include "core/cost/transfers.hpp"

#include "core/cost/direction_index.hpp"
#include "core/cost/rounding.hpp"

namespace zz::core {

Crossing crossing(const OperandTable& operand, const DataFootprint& held, int index, int level,
                  double boost, std::int64_t period, std::int64_t window, std::int64_t total_cycles) {
  const OperandData& data = held.operands[index];
  LevelTransfer transfer;
  transfer.elements = data.elements[level] * boost;
  transfer.precision = static_cast<double>(operand.precision);
  transfer.period = period;
  transfer.count = total_cycles / period;
  transfer.window = window;
  const double per_unit = data.elements[level] * data.precision[level] / static_cast<double>(period);
  transfer.bandwidth = truncate(per_unit * boost);
  Crossing crossing;
  if (!operand.output) {
    crossing.down = transfer;
    return crossing;
  }
  const bool returns =
      truncate(static_cast<double>(operand.elements) * (held.accumulations[level + 1] - 1)) != 0;
  crossing.up = transfer;
  if (!returns) crossing.up.precision = static_cast<double>(operand.final_precision);
  if (held.partial_sum[level]) crossing.down = transfer;
  crossing.down.precision = returns ? static_cast<double>(operand.precision) : 0;
  return crossing;
}

PerDirection<LevelTransfer> memory_transfers(const OperandTable& operand, const SpatialTable& unrolling,
                                             const DataFootprint& held, int index,
                                             const OperandCycles& cycles, std::int64_t total_cycles,
                                             int level) {
  PerDirection<LevelTransfer> out{};
  const Crossing low = crossing(operand, held, index, level, unrolling.boost[level], cycles.period[level],
                                cycles.window[level], total_cycles);
  out[read_to_low] = low.down;
  out[write_from_low] = low.up;
  if (level + 1 == operand.levels) return out;
  const Crossing high = crossing(operand, held, index, level + 1, 1, cycles.period[level + 1],
                                 cycles.window[level + 1], total_cycles);
  out[write_from_high] = high.down;
  out[read_to_high] = high.up;
  return out;
}

Transfers::Transfers(const CostTables& tables, const SpatialTables& unrolling, const DataFootprint& data,
                     const LoopCycles& cycles) {
  for (int index = 0; index < tables.operand_count; ++index) {
    for (int level = 0; level < tables.operands[index].levels; ++level) {
      of[index][level] = memory_transfers(tables.operands[index], unrolling[index], data, index,
                                          cycles.operands[index], cycles.total, level);
    }
  }
}

}  // namespace zz::core
