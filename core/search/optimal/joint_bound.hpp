#pragma once
#include <cstddef>
#include <memory>

#include "core/hardware/accelerator.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// A lower bound of the objective over all pairs of spatial and temporal mappings that find_joint_optimum()
/// may find, without a search for temporal mappings: the least of SpatialBounds, and of the latency also of
/// HomeTimes. Infinite: there is no
/// spatial mapping.
///
/// It is also one for every accelerator that differs from this one in smaller memories, which limit no
/// unrolling (size_limits_unrollings()), narrower ports of memories that are not innermost, or higher
/// costs: sizes decide only what fits, whatever fits is bounded without regard to second buffers, and
/// widths only divide. (With Rules that reproduce defects, and for arrays that compute in memory, this does
/// not hold.)
///
/// Throws InputError for a layer that the accelerator cannot run.
double joint_bound(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                   const JointOptions& options);

/// Knowledge that JointBounds of one layer share whatever the arrays are. [any]
class HomeTimes;
std::shared_ptr<HomeTimes> home_times(const Layer& layer, const JointOptions& options);

/// joint_bound() of one layer on accelerators that differ in nothing but costs, sizes that limit no
/// unrolling, and widths of ports of memories that are not innermost. What they share is kept: the spatial
/// mappings, and the tables of the operands whose own memories are the same. Not thread-safe.
class JointBounds {
 public:
  /// `times`: home_times() of the layer; null: of its own. The layer must outlive it.
  JointBounds(const Layer& layer, const JointOptions& options, std::shared_ptr<HomeTimes> times = nullptr);
  ~JointBounds();

  /// Throws what joint_bound() throws; then nothing may be asked any more.
  double of(const std::shared_ptr<const Accelerator>& accelerator);
  /// Bytes of all that is kept, about.
  std::size_t bytes() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace zz::core
