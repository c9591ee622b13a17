#pragma once
#include <memory>

#include "core/hardware/accelerator.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Whose loop order a bound looks at.
enum class OrderOf {
  each_operand,  ///< each operand chooses the order that is best for it
  /// One order for all operands, whose tiles must fit into the memories together; of the energy alone. It
  /// takes some milliseconds more, and is many times tighter where memories are small.
  all_operands,
};

/// A lower bound of the objective over all pairs of spatial and temporal mappings that find_joint_optimum()
/// may find, without a search for temporal mappings: the least of SpatialBounds, or of JointCostToGo from
/// no loops on. Infinite: there is no spatial mapping, or no mapping fits.
///
/// It is also one for every accelerator that differs from this one in having smaller memories that are not
/// innermost, narrower ports of such memories, or higher costs: sizes decide only what fits, whatever fits
/// is bounded without regard to second buffers, and widths only divide; of the energy less what cutting
/// accesses to whole ones may bring (RelaxedAccelerator). (With Rules that reproduce defects,
/// and for arrays that compute in memory, this does not hold.)
///
/// Throws InputError for a layer that the accelerator cannot run.
double joint_bound(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                   const JointOptions& options, OrderOf orders = OrderOf::each_operand);

}  // namespace zz::core
