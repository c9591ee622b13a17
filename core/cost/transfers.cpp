#include "core/cost/transfers.hpp"

#include "core/cost/rounding.hpp"

namespace zz::core {
namespace {

/// The transfer on the lower side of an architecture level (`boost` copies of distinct data), or on its
/// upper side (boost 1).
Transfer link(const HeldData& held, const LoopCycles& all_cycles, int operand, int level, double boost) {
  const OperandData& data = held.operands[operand];
  const OperandCycles& cycles = all_cycles.operands[operand];
  Transfer transfer;
  transfer.elements = data.elements[level] * boost;
  transfer.period = cycles.period[level];
  transfer.count = all_cycles.count(operand, level);
  transfer.window = cycles.window[level];
  const double per_unit =
      data.elements[level] * data.precision[level] / static_cast<double>(cycles.period[level]);
  transfer.bandwidth = truncate(per_unit * boost);
  return transfer;
}

}  // namespace

Transfers::Transfers(const CostTables& tables, const SpatialTables& unrolling, const HeldData& data,
                     const LoopCycles& cycles) {
  constexpr int read_to_low = static_cast<int>(Direction::read_to_low);
  constexpr int write_from_low = static_cast<int>(Direction::write_from_low);
  constexpr int read_to_high = static_cast<int>(Direction::read_to_high);
  constexpr int write_from_high = static_cast<int>(Direction::write_from_high);

  for (int index = 0; index < tables.operand_count; ++index) {
    const OperandTable& operand = tables.operands[index];
    for (int level = 0; level < operand.levels; ++level) {
      PerDirection<Transfer>& out = of[index][level];
      out.fill({});
      const bool topmost = level + 1 == operand.levels;
      const Transfer low = link(data, cycles, index, level, unrolling[index].boost[level]);
      const Transfer high = link(data, cycles, index, level + 1, 1);
      if (!operand.output) {
        out[read_to_low] = low;
        out[read_to_low].precision = static_cast<double>(operand.precision);
        if (topmost) continue;
        out[write_from_high] = high;
        out[write_from_high].precision = static_cast<double>(operand.precision);
        continue;
      }
      const auto elements = static_cast<double>(operand.elements);
      const auto returns = [&](int above) {
        return truncate(elements * (data.accumulations[above] - 1)) != 0;
      };
      const auto partial = static_cast<double>(operand.precision);
      const auto finished = static_cast<double>(operand.final_precision);
      const bool low_partial = returns(level + 1);
      out[write_from_low] = low;
      out[write_from_low].precision = low_partial ? partial : finished;
      if (data.partial_sum[level]) out[read_to_low] = low;
      out[read_to_low].precision = low_partial ? partial : 0;
      if (topmost) continue;
      const bool high_partial = returns(level + 2);
      out[read_to_high] = high;
      out[read_to_high].precision = high_partial ? partial : finished;
      if (data.partial_sum[level + 1]) out[write_from_high] = high;
      out[write_from_high].precision = high_partial ? partial : 0;
    }
  }
}

}  // namespace zz::core
