#pragma once
#include <array>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/search/optimal/moved_once.hpp"
#include "core/search/optimal/spatial_bound.hpp"
#include "core/search/spatial/spatial_space.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// What mappings under a spatial mapping cost at least, told without making anything for it: a weaker bound
/// than SpatialBound, for the many that it rules out. The layer and the accelerator must outlive it.
class GlanceBound {
 public:
  /// `moved_once`: of the layer on the accelerator; not used where the array computes in memory.
  GlanceBound(const Layer& layer, const Accelerator& accelerator, const CostModelOptions& model,
              const MovedOnce& moved_once);

  SpatialBound of(const SpatialSpace& space, const SpatialSpace::Choice& choice) const;
  /// Of all spatial mappings that use at most so many units.
  SpatialBound by_units(double units) const;

 private:
  bool is_unrolled(const std::string& loop, const std::vector<SpatialSpace::Rest>& rests) const;

  const Layer& layer_;
  CostModelOptions model_;
  MovedOnce moved_once_;
  double energy_of_units_;  ///< pJ
  double operations_;
  std::array<bool, max_operands> fed_by_one_memory_{};  ///< the last memory of the operand serves all units
};

}  // namespace zz::core
