#pragma once
#include <cstddef>
#include <vector>

#include "core/cost/array_pace.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/search/temporal/loop_factors.hpp"

namespace zz::core {

class TemporalSpace;

/// Loop orders that begin with the same stays: their innermost loops are those of `multiset`, in any order,
/// and the next one is not irrelevant to the operand.
struct Stay {
  int operand;           ///< ArrayTable::no_operand: all loops are one stay
  std::size_t multiset;  ///< of the lattice
};

/// One way to begin: a stay for each key of the array, and what the array makes of all steps then.
struct Beginning {
  std::vector<Stay> stays;
  ArrayPace pace;
};

/// All ways in which loop orders of the space can begin, the fewest array cycles first. Every order begins
/// in exactly one of them. REQUIRES: tables.array.any(). Throws InputError where there are too many.
std::vector<Beginning> beginnings(const CostTables& tables, const TemporalSpace& space);

/// The fewest array cycles of any order of these loops, or fewer: each key has the stay that is best for
/// it.
double least_array_cycles(const CostTables& tables, const std::vector<FactorTable>& factors);

}  // namespace zz::core
