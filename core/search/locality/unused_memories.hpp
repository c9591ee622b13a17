#pragma once
#include <cstdint>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/search/locality/data_levels.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The accelerator for a layer whose data do not go beyond the given levels. Memories above them no longer
/// hold the operand. Memories that hold nothing any more are gone, with their ports. `weights` is the level
/// of constant weights. Two inputs that are both not constant share the level of the activation.
///
/// Memories list their operands as activation, weight, output, which decides between equally good
/// allocations. Throws InputError when a level is no index of a memory, or when it leaves an
/// operand without memory.
Accelerator without_unused_memories(const Accelerator& accelerator, const Layer& layer,
                                    const LayerDataLevels& levels, std::int64_t weights,
                                    const Rules& rules);

}  // namespace zz::core
