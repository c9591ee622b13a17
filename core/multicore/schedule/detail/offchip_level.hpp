#pragma once
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/cost/evaluation.hpp"
#include "core/hardware/accelerator.hpp"

namespace zz::core {

/// A copy of a core with the off-chip memory above its own, for the given memory operands only: what does
/// not fit into the core streams from there and back.
///
/// One off-chip memory serves the whole array. With Rules::offchip_serves_named_dimensions it serves the
/// array dimensions that its own file names, and counts once for each step of the others.
///
/// Throws InputError when no memory of the off-chip core holds one of the operands.
Accelerator with_offchip_level(const Accelerator& core, const Accelerator& offchip_core,
                               const std::vector<std::string>& memory_operands, const Rules& rules);

/// True when two memories are the same in all that belongs to one instance: a memory and its copy for other
/// operands or arrays.
bool same_instance(const Memory& a, const Memory& b);

/// The demand of one node on the off-chip memory.
struct OffchipDemand {
  /// Elements per cycle at their most frequent, whole ones, summed over the operands. (ZigZag 3.6.1's
  /// "instantaneous bandwidth", which Stream 0.0.8 compares with bits per cycle.)
  double read_elements = 0, write_elements = 0;
  double read_bits = 0, write_bits = 0;  ///< that move in all
};

/// The demand of the given operands (indices into Layer::operands) at their topmost memories. Of an
/// evaluation that does not tell its mapping or its accesses, that of each operand moved once.
OffchipDemand offchip_demand(const Evaluation& evaluation, const Layer& piece,
                             const Accelerator& accelerator, const std::vector<int>& operands,
                             const Rules& rules);

}  // namespace zz::core
