#pragma once
#include <array>
#include <cstdint>

#include "core/cost/cost_tables.hpp"

namespace zz::core {

/// How long the data of one operand stays at each architecture level. Level 0 are the units.
struct OperandCycles {
  /// Cycles for which one portion of data is used before the next one replaces it.
  std::array<std::int64_t, max_memory_levels> period{};
  std::array<std::int64_t, max_memory_levels>
      window{};  ///< cycles for the transfer without a second buffer
  std::array<std::int64_t, max_memory_levels>
      outer_relevant{};  ///< outermost run of relevant loops of the level
};

/// Cycles in a row for which a unit uses the same element: the innermost loops, held by the lowest memory,
/// that are irrelevant to the operand.
std::int64_t repeats_at_units(const CostTables& tables, const CompactMapping& mapping, int operand);

/// How long the data of one operand stays at each architecture level.
OperandCycles operand_cycles(const CostTables& tables, const CompactMapping& mapping, int operand,
                             bool same_data_free);

/// Cycle counts of all operands for one temporal mapping; the same for both unrollings.
struct LoopCycles {
  std::int64_t total = 1;  ///< iterations of all temporal loops
  std::array<OperandCycles, max_operands> operands;

  LoopCycles(const CostTables& tables, const CompactMapping& mapping, bool same_data_free);

  /// Portions of an operand's data over the whole layer, at an architecture level.
  std::int64_t count(int operand, int level) const { return total / operands[operand].period[level]; }
};

}  // namespace zz::core
