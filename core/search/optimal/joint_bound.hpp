#pragma once
#include <memory>

#include "core/hardware/accelerator.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// A lower bound of the objective over all pairs of spatial and temporal mappings that find_joint_optimum()
/// may find, without a search for temporal mappings: the least of SpatialBounds. Infinite: there is no
/// spatial mapping.
///
/// It is also one for every accelerator that differs from this one in having smaller memories that are not
/// innermost, narrower ports of such memories, or higher costs: sizes decide only what fits, whatever fits
/// is bounded without regard to second buffers, and widths only divide. (With Rules that reproduce defects,
/// and for arrays that compute in memory, this does not hold.)
///
/// Throws InputError for a layer that the accelerator cannot run.
double joint_bound(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                   const JointOptions& options);

}  // namespace zz::core
