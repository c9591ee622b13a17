#pragma once
#include <array>

#include "core/cost/data_footprint.hpp"

namespace zz::core {

/// How full the memories are, [operand][memory level], and which transfers may take their whole period
/// because there is room for a second buffer.
struct MemoryUse {
  std::array<PerLevel<double>, max_operands> own;     ///< this operand's share of the capacity
  std::array<PerLevel<double>, max_operands> shared;  ///< of all operands that share the memory
  /// [operand][architecture level]; level 0 (the units) never has one.
  std::array<std::array<bool, max_memory_levels + 1>, max_operands> double_buffered;

  MemoryUse(const CostTables& tables, const DataFootprint& data);
};

}  // namespace zz::core
