#pragma once
#include <memory>

#include "core/hardware/accelerator.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// A lower bound of the energy (pJ) over all pairs of spatial and temporal mappings that
/// find_joint_optimum() may find, without a search for temporal mappings: all operands have one loop order,
/// and their tiles must fit into the memories, shared ones as far as JointCostToGo tells. It takes some
/// milliseconds where joint_bound() takes one, and is several times tighter where memories are small.
/// Infinite: there is no spatial mapping, or no mapping fits. Layers of many loops have no more than the
/// bounds of single operands. The objective of `options` is not looked at.
///
/// It bounds all accelerators that this one is the relaxed one of, as the search on it does
/// (RelaxedAccelerator).
///
/// Throws InputError for a layer that the accelerator cannot run.
double one_order_bound(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                       const JointOptions& options);

}  // namespace zz::core
