#pragma once
#include <array>

#include "core/optimum/search_problem.hpp"

namespace zz::core {

/// What every temporal mapping under one spatial mapping costs at least, told without any search.
struct SpatialBound {
  double energy = 0;   ///< pJ
  double latency = 0;  ///< cycles
};

/// Latency: the cycles of the computation, or what it takes to load an input once: loading is hidden behind
/// no more cycles than there are. 0 with ZigZag's own figures, which hide loading without end.
///
/// Energy: whatever the order of the loops, some loop is the innermost. An operand that it changes is moved
/// for it every time, up to the first memory that has room for more; an operand that it does not change is
/// at best moved once for all loops that do not change it. Memories further out are passed at least once by
/// all data. The least over all loops that may be innermost is the bound.
///
/// Throws what CostTables throws.
SpatialBound spatial_bound(const MappingProblem& problem);

/// What moving all data of each operand once costs with nothing unrolled, by operand.
struct MovedOnce {
  std::array<double, max_operands> energy{};   ///< pJ, through each of its memories
  std::array<double, max_operands> latency{};  ///< cycles, of inputs, from the last memory
};

/// Unrolling makes these no less, but for fractional factors: the costs are at least these times the share
/// that is left when the factors of the loops that change the operand are cut to whole ones. The latency
/// holds where one memory feeds all units in the end.
MovedOnce cost_of_moving_once(const MappingProblem& problem);

/// The value of the objective that follows.
double bound_of(const SpatialBound& bound, Objective objective);

}  // namespace zz::core
