#pragma once
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/mapping/temporal_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

struct ConvertedOrdering {
  TemporalMapping mapping;
  std::vector<std::string> warnings;  ///< entries that were dropped
};

/// The one temporal mapping that layer.mapping.temporal_ordering prescribes, allocated to the memories.
/// Entries on loops that the layer lacks are dropped; "all" (or "*") as a size is what earlier entries and
/// the unrolling leave.
///
/// Throws InputError when there is no ordering or it can never fit the layer, NoResult when it does not
/// make up exactly what remains in time or does not fit into the memories. Rules::orderings_unchecked
/// takes any product of sizes as it is.
ConvertedOrdering convert_temporal_ordering(const Layer& layer, const Accelerator& accelerator,
                                            const SpatialMapping& spatial_mapping, MappingType type,
                                            const Rules& rules);

}  // namespace zz::core
