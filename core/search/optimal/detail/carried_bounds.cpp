#include "core/search/optimal/detail/carried_bounds.hpp"

#include <algorithm>
#include <memory>

namespace zz::core {
namespace {

CompulsoryCost compulsory_on(const Accelerator& accelerator, const Layer& layer,
                             const CostModelOptions& model) {
  SpatialUnrolling nothing;
  for (const ArrayDimension& dimension : accelerator.array.dimensions)
    nothing.dimensions.push_back({dimension.name, {}});
  return compulsory_cost(
      unrolled_problem(layer, std::make_shared<const Accelerator>(accelerator), nothing, model));
}

}  // namespace

CarriedBounds::CarriedBounds(const JointOptimum& earlier, const CostChange& change, const Layer& layer,
                             const CostModelOptions& model, const Goal& goal)
    : earlier_(earlier),
      change_(change),
      goal_(goal),
      rest_(layer, change.rest, model, compulsory_on(change.rest, layer, model)) {}

double CarriedBounds::of(std::size_t place, const SpatialSpace& space,
                         const SpatialSpace::Choice& choice) const {
  double before = earlier_.certificate.lower_bound;
  if (place < earlier_.bounds.size()) before = std::max(before, earlier_.bounds[place]);
  // No cost of an access bears on the latency.
  if (goal_.objective == Objective::latency) return before;
  return change_.kept * before + bound_of(rest_.of(space, choice), goal_);
}

}  // namespace zz::core
