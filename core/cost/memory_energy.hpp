#pragma once
#include <array>
#include <cstdint>

#include "core/cost/transfers.hpp"

namespace zz::core {

/// Accesses of one transfer over the whole layer, of all instances of the memory together.
std::int64_t count_accesses(const LevelTransfer& transfer, const TransferPort& port, double units);

/// Accesses and energy of all memories: [operand][memory level], directions inside.
struct MemoryEnergy {
  std::array<PerLevel<PerDirection<std::int64_t>>, max_operands> accesses;
  std::array<PerLevel<PerDirection<double>>, max_operands> by_direction;  ///< pJ
  std::array<PerLevel<double>, max_operands> by_level;                    ///< pJ
  double total = 0;                                                       ///< pJ
  /// A transfer has no port to go through: the mapping is not possible on this accelerator.
  bool missing_port = false;

  MemoryEnergy(const CostTables& tables, const SpatialTables& unrolling, const Transfers& transfers);
};

}  // namespace zz::core
