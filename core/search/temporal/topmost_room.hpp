#pragma once
#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// All of an operand must be in its topmost memory, whatever the order of the loops. Throws NoResult where
/// it is larger than that memory, all copies together, or where the operands are that have the same one:
///
///     W of layer conv has 294,912 bits; its topmost memory, weight_buffer, holds 1,024: is a memory
///     missing, or are two in the wrong order?
///
/// For searches that found no mapping, before they give a reason of their own: more searching would not
/// help. With `spatial_mapping`, also where each copy of the memory needs more than its part, as copies
/// repeat what is unrolled without need of it.
void refuse_small_topmost_memories(const Layer& layer, const Accelerator& accelerator, const Rules& rules,
                                   const SpatialMapping* spatial_mapping = nullptr);

}  // namespace zz::core
