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

/// False is a promise, too: depends_on_order() is false for every operand, level and point. Quick to ask,
/// and false for whole unrollings of layers of usual size.
bool may_depend_on_order(const SpatialTables& unrolling, int operands, const LoopLattice& lattice);

}  // namespace zz::core
