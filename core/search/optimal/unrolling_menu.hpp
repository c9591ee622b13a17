#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Unrollings of a layer that promise little energy: of SpatialSpace, those with the least bounds
/// (SpatialBounds::quick). `seen`: accelerators that take turns, each with the best one of its own that is
/// new; they have the array and the inner memories of the first one. At most `most`, without `own` and what
/// costs the same as another one. Of more than 4,096 unrollings those with most units are looked at.
///
/// Throws InputError for a layer that the accelerator cannot run.
std::vector<SpatialUnrolling> unrolling_menu(const Layer& layer, const SpatialUnrolling& own,
                                             const std::vector<std::shared_ptr<const Accelerator>>& seen,
                                             const JointOptions& options, std::size_t most);

}  // namespace zz::core
