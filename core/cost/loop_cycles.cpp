#include "core/cost/loop_cycles.hpp"

#include "core/cost/rounding.hpp"

namespace zz::core {

std::int64_t repeats_at_units(const CostTables& tables, const CompactMapping& mapping, int operand) {
  const auto& relevancy = tables.operands[operand].relevancy;
  std::int64_t repeats = 1;
  for (int loop = 0;
       loop < mapping.stationary[operand][0] && relevancy[mapping.dimension[loop]] == Relevancy::irrelevant;
       ++loop) {
    repeats *= mapping.size[loop];
  }
  return repeats;
}

OperandCycles operand_cycles(const CostTables& tables, const CompactMapping& mapping, int index,
                             bool same_data_free) {
  const OperandTable& operand = tables.operands[index];
  const auto& cuts = mapping.stationary[index];
  OperandCycles cycles;
  const std::int64_t stationary = repeats_at_units(tables, mapping, index);
  std::int64_t cycle = 1;
  std::int64_t outer_irrelevant = 1;
  cycles.outer_relevant[0] = 1;
  for (int level = 0; level <= operand.levels; ++level) {
    if (level > 0) {
      const int begin = level > 1 ? cuts[level - 2] : 0;
      const int end = cuts[level - 1];
      for (int loop = begin; loop < end; ++loop) cycle *= mapping.size[loop];
      outer_irrelevant = 1;
      for (int loop = end;
           loop > begin && operand.relevancy[mapping.dimension[loop - 1]] == Relevancy::irrelevant;
           --loop) {
        outer_irrelevant *= mapping.size[loop - 1];
      }
      cycles.outer_relevant[level] = 1;
      for (int loop = end;
           loop > begin && operand.relevancy[mapping.dimension[loop - 1]] == Relevancy::relevant; --loop) {
        cycles.outer_relevant[level] *= mapping.size[loop - 1];
      }
    }
    // An input that the units keep for several cycles is fetched once for all of them.
    const std::int64_t period = level > 0 ? cycle : (!operand.output && same_data_free ? stationary : 1);
    cycles.period[level] = period;
    cycles.window[level] =
        outer_irrelevant == 1
            ? period
            : truncate(static_cast<double>(period) / static_cast<double>(outer_irrelevant));
  }
  return cycles;
}

LoopCycles::LoopCycles(const CostTables& tables, const CompactMapping& mapping, bool same_data_free) {
  for (int loop = 0; loop < mapping.loops; ++loop) total *= mapping.size[loop];
  for (int index = 0; index < tables.operand_count; ++index)
    operands[index] = operand_cycles(tables, mapping, index, same_data_free);
}

}  // namespace zz::core
