#pragma once
#include <array>

#include "core/cost/cost_tables.hpp"
#include "core/cost/tiles_below.hpp"
#include "core/mapping/compact_mapping.hpp"

namespace zz::core {

/// Bits of an element of a tile: of a partial sum, and of a result; of an input both are the same.
struct ElementWidths {
  double sum = 0, result = 0;

  double of(bool finished) const { return finished ? result : sum; }
};

/// The data of one operand that lie below the boundary of each architecture level, in one unit of the
/// level.
///
/// They are averages. A loop of 7 on 4 units takes two rounds, with 4 iterations and with 3: on
/// average 3.5, the factor of the unrolling. A portion therefore has, on average over the rounds, as many
/// elements as the product of its loops and factors says (of a window: as many positions as lie between
/// those of 3 and of 4, WindowPositions), and all portions together have those of the layer, no less and no
/// more. Energy, latency and the traffic of ports follow from these amounts; a memory has room for those of
/// the fullest round (fullest_elements). Only what cannot be divided is rounded up, portion by portion: the
/// cycles for which a portion occupies its port, and the words it takes.
///
/// With ragged tiles (TilesBelow) a footprint is that of one size of portion: where
/// the dimensions of `last` are in their last tiles, the others in whole ones.
///
/// With Rules::data_in_whole_units (CostTables::whole_units) amounts are rounded to whole elements, and for
/// the latency those of unrollings cut to whole units.
struct DataFootprint {
  std::array<double, max_memory_levels> elements;
  // Bits of an element with what is stored beside it (TileBits).
  PerLevel<ElementWidths> widths;            ///< of those of one unit
  PerLevel<ElementWidths> widths_of_copies;  ///< of those of all copies together
  std::array<double, max_memory_levels> bits;
  /// Distinct portions that the units of the level take at once from one unit of the level above. Rows of a
  /// window that several units need count once, as far as the unrolled loops tell (ZigZag); never are there
  /// fewer elements than the units' portions have together.
  std::array<double, max_memory_levels> copies;
  // With requests (OperandTable::in_requests), elements that follow each other in memory without a gap.
  std::array<double, max_memory_levels> stretch;         ///< of those of one unit
  std::array<double, max_memory_levels> common_stretch;  ///< of those of all copies together
  /// Output only: partial sums are still incomplete above this architecture level.
  std::array<bool, max_memory_levels> partial_sum{};
  /// Output only: SpatialTable::adds.
  PerLevel<bool> adds{};
  /// Output only: how often the loops above this architecture level come back to an element. The first time
  /// nothing returns to the units.
  std::array<double, max_memory_levels> visits{};
  /// Output only: how often an element crosses the lower side of this architecture level.
  std::array<double, max_memory_levels + 2> accumulations{};

  /// Bits of an element in one unit of the level.
  double width(int level) const { return widths[level].of(!partial_sum[level]); }
};

/// The elements below the boundary of each architecture level up to `highest_level`, in one unit of the
/// level, on average over the rounds. The same for any order of the loops below, unless with whole units.
/// `unrolling`: of that operand.
PerLevel<double> elements_below(const CostTables& tables, const SpatialTable& unrolling,
                                const CompactMapping& mapping, int operand, int highest_level,
                                LastTiles last = 0);

/// DataFootprint::copies up to `highest_level`. When an unrolling splits a window (SpatialTable) they
/// depend on the loops below, in any order.
PerLevel<double> copies_of(const CostTables& tables, const SpatialTable& unrolling,
                           const CompactMapping& mapping, int operand, int highest_level,
                           LastTiles last = 0);

/// DataFootprint::stretch and common_stretch up to `highest_level`, of an operand that passes ports with
/// requests. The same for any order of the loops below.
struct Stretches {
  PerLevel<double> own, common;
};
Stretches stretches_of(const CostTables& tables, const SpatialTable& unrolling,
                       const CompactMapping& mapping, int operand, int highest_level, LastTiles last = 0);

/// DataFootprint::widths and widths_of_copies up to `highest_level`. The same for any order of the loops
/// below.
struct WidthsBelow {
  PerLevel<ElementWidths> own, of_copies;
};
WidthsBelow widths_below(const CostTables& tables, const SpatialTable& unrolling,
                         const CompactMapping& mapping, int operand, int highest_level, LastTiles last = 0);

/// The elements as they count: with whole units rounded, else without the noise of divisions.
double counted_elements(const CostTables& tables, double elements);

/// Covers levels up to `highest_level`; what follows from loops above is known for all levels.
DataFootprint footprint_of(const CostTables& tables, const SpatialTables& unrolling,
                           const CompactMapping& mapping, int operand, int highest_level,
                           LastTiles last = 0);

/// The elements below the boundary of the architecture level, in one unit of the level, in the fullest
/// round: of the loop of 7 on 4 units, those of 4 iterations. Of tiles the first, which is whole.
double fullest_elements(const CostTables& tables, const CompactMapping& mapping, int operand, int level);
/// Bits of one of these.
ElementWidths fullest_widths(const CostTables& tables, const CompactMapping& mapping, int operand,
                             int level);
/// Room for all of them in the memory below the boundary (TileBits::of_room).
double fullest_room(const CostTables& tables, const CompactMapping& mapping, int operand, int level,
                    bool finished);

/// Bits of so many elements, without the noise of the quotients of what is stored beside them.
inline double bits_of(const OperandTable& operand, double elements, double width) {
  const double bits = elements * width;
  return operand.held.beside() ? snapped(bits) : bits;
}

}  // namespace zz::core
