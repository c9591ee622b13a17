#pragma once
#include <array>

#include "core/mapping/compact_mapping.hpp"
#include "core/search/optimal/operand_portions.hpp"

namespace zz::core {

/// The least energy (pJ) that one operand can cost over all its links, had it the order of the loops for
/// itself. The links are those of LinkEnergy; each costs least with all irrelevant loops below it, and
/// links close further up the further out they are, where their memories have room.
///
/// What the innermost loop is, all operands have in common: the sum over operands, at the innermost loop
/// for which it is smallest, is what any mapping costs at least.
struct OperandEnergy {
  enum class Effort {
    quick,  ///< memories pass on all data once, at least: only few multisets are looked at
    thorough,
  };
  /// Prepares the multisets that it needs. `imc`: of the weights in an array that computes in memory.
  /// `window_share`: as by window_share().
  OperandEnergy(OperandPortions& portions, double window_share, Effort effort, const ImcLayerEnergy* imc);

  /// The innermost loop is irrelevant to the operand, or there is no loop.
  double kept = 0;
  /// It is this dimension, which is not irrelevant: units, and memories without room for a prime factor of
  /// it, change what they hold every time.
  std::array<double, max_loop_dimensions> changed{};
};

}  // namespace zz::core
