#pragma once
#include <vector>

#include "core/compat/rules.hpp"
#include "core/mapping/loop_lattice.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The loops that LOMA puts into every order.
struct PermutedLoops {
  bool fixed_order = false;          ///< a complete ordering: only the order in which they stand
  std::vector<RemainingLoop> loops;  ///< innermost first where the order is fixed
  std::vector<OrderConstraint> constraints;
};

/// What the layer's ordering and the limit on loop factors (0: none) make of the loops that remain in time.
/// Throws as user_ordering() and loop_factors() do.
PermutedLoops permuted_loops(const Layer& layer, const SpatialMapping& spatial_mapping, int factor_limit,
                             const Rules& rules);

}  // namespace zz::core
