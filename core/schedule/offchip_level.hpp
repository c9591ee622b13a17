#pragma once
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"

namespace zz::core {

/// A copy of a core with the off-chip memory above its own, for the given memory operands only: what does
/// not fit into the core streams from there and back.
///
/// One off-chip memory serves the whole array. `stream_compat`: it serves the array dimensions that its own
/// file names, and counts once for each step of the others.
///
/// Throws InputError when no memory of the off-chip core holds one of the operands.
Accelerator with_offchip_level(const Accelerator& core, const Accelerator& offchip_core,
                               const std::vector<std::string>& memory_operands, bool stream_compat);

/// True when two memories are the same in all that belongs to one instance: a memory and its copy for other
/// operands or arrays.
bool same_instance(const Memory& a, const Memory& b);

}  // namespace zz::core
