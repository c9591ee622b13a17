#pragma once
#include <array>
#include <cstdint>

#include "core/cost/data_footprint.hpp"

namespace zz::core {

/// What moves between two levels, per portion of data. All zero: nothing moves.
struct LevelTransfer {
  double elements = 0;         ///< moved per portion
  double precision = 0;        ///< bits per element
  std::int64_t period = 0;     ///< cycles per portion
  std::int64_t count = 0;      ///< portions
  std::int64_t window = 0;     ///< cycles for the transfer without a second buffer
  std::int64_t bandwidth = 0;  ///< bits per cycle on average, cut to whole bits
};

/// The transfers through the lower side of an architecture level, each in two memories: towards the units
/// it is read from the one above and written into the one below, away from them the other way round.
struct Crossing {
  LevelTransfer down, up;
};

/// `period` and `window` are those of the level, whose data must be known; `boost` copies of distinct data
/// pass at once, seen from the memory below 1.
Crossing crossing(const OperandTable& operand, const DataFootprint& held, int index, int level,
                  double boost, std::int64_t period, std::int64_t window, std::int64_t total_cycles);

/// The transfers of operand `index` at its memory `level`.
PerDirection<LevelTransfer> memory_transfers(const OperandTable& operand, const SpatialTable& unrolling,
                                             const DataFootprint& held, int index,
                                             const OperandCycles& cycles, std::int64_t total_cycles,
                                             int level);

/// All transfers of one temporal mapping for one unrolling, seen from the memories:
/// [operand][memory level][direction].
struct Transfers {
  std::array<PerLevel<PerDirection<LevelTransfer>>, max_operands> of;

  Transfers(const CostTables& tables, const SpatialTables& unrolling, const DataFootprint& data,
            const LoopCycles& cycles);

  const LevelTransfer& at(int operand, int level, Direction direction) const {
    return of[operand][level][static_cast<int>(direction)];
  }
};

}  // namespace zz::core
