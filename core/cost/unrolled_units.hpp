#pragma once
#include "core/cost/cost_tables.hpp"

namespace zz::core {

/// The unrolled units of one operand, by architecture level: of each level those for one unit of the level
/// above. A window's loops count as far as they bring new positions.
struct UnrolledUnits {
  PerLevel<double> relevant{};  ///< with distinct data
  PerLevel<double> all{};
};

UnrolledUnits unrolled_units(const CostTables& tables, const OperandTable& operand,
                             const UnrolledLevels& loops);

/// The units of a level and of those above it, for all of the array: the product of a row of UnrolledUnits.
double units_from(const PerLevel<double>& units, int level, int levels);

}  // namespace zz::core
