#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/search/optimal/cost_relations.hpp"
#include "core/search/optimal/detail/compulsory_bound.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/search/spatial/spatial_space.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The bounds of an earlier search, as bounds for an accelerator whose costs have changed (CostChange).
/// Costs that changed little, or data moved that must move anyway, rule out most spatial mappings again
/// without a look at their temporal mappings.
class CarriedBounds {
 public:
  /// Throws what compulsory_bound() throws. All references must outlive it.
  /// REQUIRES: `earlier` is of the same layer, with the same options. `factors`: of the SpatialSpace.
  CarriedBounds(const JointOptimum& earlier, UnrollingFactors factors, CostChange change,
                const Layer& layer, const CostModelOptions& model, const Refinements& refinements,
                const Goal& goal)
      : bounds_(factors == UnrollingFactors::uneven ? earlier.uneven_bounds : earlier.bounds),
        of_all_(earlier.certificate.lower_bound),
        change_(std::move(change)),
        goal_(goal),
        rest_(compulsory_bound(layer, change_.rest, model, refinements)) {}
  CarriedBounds(const CarriedBounds&) = delete;

  /// The bound of the objective, for the spatial mapping that comes at this place in SpatialSpace.
  double of(std::size_t place, const SpatialSpace& space, const SpatialSpace::Choice& choice) const {
    const double before = place < bounds_.size() ? bounds_[place] : 0;
    return carried(std::max(before, of_all_), rest_.of(space, choice));
  }
  /// For all spatial mappings of at most so many units.
  double by_units(double units) const { return carried(of_all_, rest_.by_units(units)); }

 private:
  double carried(double before, const SpatialBound& rest) const {
    // No cost of an access bears on the latency.
    return goal_.objective == Objective::latency ? before : change_.kept * before + bound_of(rest, goal_);
  }

  const std::vector<double>& bounds_;
  double of_all_;
  CostChange change_;
  const Goal& goal_;
  CompulsoryBound rest_;
};

}  // namespace zz::core
