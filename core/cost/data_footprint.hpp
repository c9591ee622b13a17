#pragma once
#include <array>

#include "core/cost/cost_tables.hpp"
#include "core/mapping/compact_mapping.hpp"

namespace zz::core {

/// The data of one operand that lie below the boundary of each architecture level, in one unit of the
/// level; for one of the two unrollings.
struct DataFootprint {
  std::array<double, max_memory_levels> elements;
  std::array<double, max_memory_levels> precision;  ///< bits per element
  std::array<double, max_memory_levels> bits;
  /// Of the output: partial sums are still incomplete above this architecture level.
  std::array<bool, max_memory_levels> partial_sum{};
  /// Of the output: how often an element crosses the lower side of this architecture level.
  std::array<double, max_memory_levels + 2> accumulations{};
};

/// The elements below the boundary of each architecture level up to `highest_level`, in one unit of the
/// level, before they are rounded to whole ones. `unrolling`: of that operand.
PerLevel<double> elements_below(const CostTables& tables, const SpatialTable& unrolling,
                                const CompactMapping& mapping, int operand, int highest_level);

/// Of the architecture levels up to `highest_level`; what follows from loops above is known for all levels.
DataFootprint footprint_of(const CostTables& tables, const SpatialTables& unrolling,
                           const CompactMapping& mapping, int operand, int highest_level);

}  // namespace zz::core
