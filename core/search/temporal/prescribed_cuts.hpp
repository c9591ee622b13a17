#pragma once
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Cuts the loops that `mapping` holds as `cuts` say, which count these loops: they are the layer's own
/// (LayerMapping::cuts), and the loops those of its complete ordering (UserOrdering). What costs a mapping
/// uses the cuts as they are. Where LoopAllocator would make the same, its allocation is kept beside them.
///
/// Throws InputError where the cuts are none of this layer on this accelerator, whatever its unrolling:
/// other operands or memories than it has, cuts that decrease upwards or exceed the loops. Throws NoResult
/// where a memory is too small for them, or where tiles that are shared (Memory::shared_tiles) end at
/// different loops. Both name the place and the nearest that works.
void cut_as_prescribed(const Layer& layer, const Accelerator& accelerator,
                       const SpatialMapping& spatial_mapping, const std::vector<OperandCuts>& cuts,
                       MappingType type, const Rules& rules, CompactMapping& mapping);

/// Cuts are of one machine. Says what the first of the layer's cuts names that this one does not have, or
/// leaves out that it has: "W in 'sram'"; "" where they are of this machine.
std::string cuts_of_other_memories(const Layer& layer, const Accelerator& accelerator);

}  // namespace zz::core
