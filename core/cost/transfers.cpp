#include "core/cost/transfers.hpp"

#include "core/cost/direction_index.hpp"
#include "core/cost/rounding.hpp"

namespace zz::core {
namespace {

/// The transfer on the lower side of an architecture level (`boost` copies of distinct data), or on its
/// upper side (boost 1).
Transfer link(const OperandData& data, const OperandCycles& cycles, std::int64_t total_cycles, int level,
              double boost) {
  Transfer transfer;
  transfer.elements = data.elements[level] * boost;
  transfer.period = cycles.period[level];
  transfer.count = total_cycles / cycles.period[level];
  transfer.window = cycles.window[level];
  const double per_unit =
      data.elements[level] * data.precision[level] / static_cast<double>(cycles.period[level]);
  transfer.bandwidth = truncate(per_unit * boost);
  return transfer;
}

}  // namespace

PerDirection<Transfer> memory_transfers(const OperandTable& operand, const SpatialTable& unrolling,
                                        const HeldData& held, int index, const OperandCycles& cycles,
                                        std::int64_t total_cycles, int level) {
  PerDirection<Transfer> out{};
  const OperandData& data = held.operands[index];
  const bool topmost = level + 1 == operand.levels;
  const Transfer low = link(data, cycles, total_cycles, level, unrolling.boost[level]);
  const Transfer high = link(data, cycles, total_cycles, level + 1, 1);
  if (!operand.output) {
    out[read_to_low] = low;
    out[read_to_low].precision = static_cast<double>(operand.precision);
    if (topmost) return out;
    out[write_from_high] = high;
    out[write_from_high].precision = static_cast<double>(operand.precision);
    return out;
  }
  const auto elements = static_cast<double>(operand.elements);
  const auto returns = [&](int above) { return truncate(elements * (held.accumulations[above] - 1)) != 0; };
  const auto partial = static_cast<double>(operand.precision);
  const auto finished = static_cast<double>(operand.final_precision);
  const bool low_partial = returns(level + 1);
  out[write_from_low] = low;
  out[write_from_low].precision = low_partial ? partial : finished;
  if (held.partial_sum[level]) out[read_to_low] = low;
  out[read_to_low].precision = low_partial ? partial : 0;
  if (topmost) return out;
  const bool high_partial = returns(level + 2);
  out[read_to_high] = high;
  out[read_to_high].precision = high_partial ? partial : finished;
  if (held.partial_sum[level + 1]) out[write_from_high] = high;
  out[write_from_high].precision = high_partial ? partial : 0;
  return out;
}

Transfers::Transfers(const CostTables& tables, const SpatialTables& unrolling, const HeldData& data,
                     const LoopCycles& cycles) {
  for (int index = 0; index < tables.operand_count; ++index) {
    for (int level = 0; level < tables.operands[index].levels; ++level) {
      of[index][level] = memory_transfers(tables.operands[index], unrolling[index], data, index,
                                          cycles.operands[index], cycles.total, level);
    }
  }
}

}  // namespace zz::core
