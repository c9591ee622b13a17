#pragma once
#include <optional>
#include <vector>

#include "core/search/optimal/detail/cost_change.hpp"
#include "core/search/optimal/detail/quick_bound.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"

namespace zz::core {

/// The bounds of an earlier search, as bounds for an accelerator whose costs have changed (CostChange).
/// What costs changed little, or moved data that must move anyway, rules out most spatial mappings again
/// without a look at their temporal mappings.
class CarriedBounds {
 public:
  /// Throws what unrolled_problem() and compulsory_cost() throw. All references must outlive it.
  /// REQUIRES: `earlier` is of the same layer, with the same options.
  CarriedBounds(const JointOptimum& earlier, const CostChange& change, const Layer& layer,
                const CostModelOptions& model, const Goal& goal);

  /// Of the objective, for the spatial mapping that comes at this place in SpatialSpace.
  double of(std::size_t place, const SpatialSpace& space, const SpatialSpace::Choice& choice) const;

 private:
  const JointOptimum& earlier_;
  const CostChange& change_;
  const Goal& goal_;
  QuickBound rest_;
};

}  // namespace zz::core
