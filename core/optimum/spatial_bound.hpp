#pragma once
#include "core/optimum/search_problem.hpp"

namespace zz::core {

/// What every temporal mapping under one spatial mapping costs at least, told without any search.
struct SpatialBound {
  double energy = 0;   ///< pJ
  double latency = 0;  ///< cycles
};

/// Latency: the cycles of the computation; 0 with ZigZag's own figures, which hide loading without end.
///
/// Energy: whatever the order of the loops, some loop is the innermost. An operand that it changes is moved
/// for it every time, up to the first memory that has room for more; an operand that it does not change is
/// at best moved once for all loops that do not change it. Memories further out are passed at least once by
/// all data. The least over all loops that may be innermost is the bound.
///
/// Throws what CostTables throws.
SpatialBound spatial_bound(const MappingProblem& problem);

/// The value of the objective that follows.
double bound_of(const SpatialBound& bound, Objective objective);

}  // namespace zz::core
