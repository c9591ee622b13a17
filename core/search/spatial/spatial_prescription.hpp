#pragma once
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_unrolling.hpp"
#include "core/search/spatial/spatial_limits.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Cuts a prescribed unrolling to what layer, array and memories allow: unknown loops go, factors are
/// lowered to their limit, an array dimension that is still over-subscribed loses whole loops. Each change
/// adds a sentence to `warnings`.
SpatialUnrolling reduce_prescription(const SpatialUnrolling& prescribed, const Layer& layer,
                                     const Accelerator& accelerator, const SpatialLimits& limits,
                                     std::vector<std::string>& warnings);

/// A sentence for each hint that is for no dimension of the array, as ZigZag's own mapping files have some.
/// The same for all layers of a mapping entry.
std::vector<std::string> hints_of_no_dimension(const Layer& layer, const Accelerator& accelerator);

}  // namespace zz::core
