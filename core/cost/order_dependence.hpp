#pragma once
#include "core/cost/cost_tables.hpp"
#include "core/mapping/loop_lattice.hpp"

namespace zz::core {

/// Amounts of data are products of doubles, rounded to whole elements in the end. A product of fractions
/// may differ in its last bit with the order of its factors, which matters where it lies next to the middle
/// between two whole numbers (or, for positions of a window, next to a whole number, because they are cut).
///
/// False is a promise: whatever the order of the loops below and the levels that they are shared out to,
/// the elements below the boundary of the architecture level are the same number, and so is, of the output,
/// whether partial sums return through it.
bool depends_on_order(const CostTables& tables, const SpatialTables& unrolling, const LoopLattice& lattice,
                      int operand, int level, LoopLattice::Point below);

}  // namespace zz::core
