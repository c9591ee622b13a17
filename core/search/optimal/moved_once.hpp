#pragma once
#include <array>

#include "core/search/optimal/search_problem.hpp"

namespace zz::core {

/// What moving all data of each operand once costs with nothing unrolled, by operand.
struct MovedOnce {
  std::array<double, max_operands> energy{};   ///< pJ, through each of its memories
  std::array<double, max_operands> latency{};  ///< cycles, of inputs, from the last memory
};

/// Unrolling makes these no less, but for fractional factors: the costs are at least these times the share
/// that is left when the factors of the loops that change the operand are cut to whole ones. The latency
/// holds where one memory feeds all units in the end: what is loaded in portions is waited for, or hidden
/// behind a computation and stalls that are at least as long.
///
/// `nothing_unrolled`: the problem. Throws what CostTables throws.
MovedOnce cost_of_moving_once(const MappingProblem& nothing_unrolled);

/// Parts of a tensor, each as often as it comes, are never less than this share of the whole: windows are
/// over-counted where positions are not exact.
double window_share(const Layer& layer, int operand);

}  // namespace zz::core
