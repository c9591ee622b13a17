#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/mapping/loop_lattice.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The loops that the (fractional) spatial mapping leaves for time, in the order of Layer::loops.
std::vector<RemainingLoop> remaining_loops(const Layer& layer, const SpatialMapping& spatial_mapping,
                                           const Rules& rules);

/// A constraint on loop orders: the loop at a position is of this dimension and, when given, of this size.
/// Positions count from the innermost loop (0, 1, ...) or from the outermost (-1, -2, ...).
struct OrderConstraint {
  int position = 0;
  int dimension = 0;
  std::optional<std::int64_t> size;

  bool operator==(const OrderConstraint&) const = default;
};

/// The factors of one dimension as distinct values with multiplicities.
struct FactorTable {
  int dimension = 0;
  std::vector<std::pair<std::int64_t, int>> entries;
};

int prime_factor_count(std::int64_t number);

/// Splits each remaining loop into its prime factors and merges small factors of the dimension that has
/// most of them until at most `limit` are left (0: no limit; never fewer than one a dimension). Sizes that
/// constraints ask for are kept whole, and as many loops of a dimension are left as constraints place, even
/// beyond the limit. Throws NoResult when a constrained size cannot be made.
std::vector<FactorTable> loop_factors(const Layer& layer, const std::vector<RemainingLoop>& loops,
                                      const std::vector<OrderConstraint>& constraints, int limit,
                                      const Rules& rules);

/// Number of orders of the prime factors of the loops that the (fractional) spatial mapping leaves for
/// time: n! over the factorials of how often each factor occurs.
double count_of_orders(const Layer& layer, const SpatialMapping& spatial_mapping, const Rules& rules);

/// The loops that LOMA puts into every order.
struct PermutedLoops {
  bool fixed_order = false;          ///< a complete ordering: only the order in which they stand
  std::vector<RemainingLoop> loops;  ///< innermost first where the order is fixed
  std::vector<OrderConstraint> constraints;
  std::vector<OperandCuts> cuts;  ///< UserOrdering::cuts, where the order is fixed
};

/// The loops that remain in time, by the layer's ordering and the limit on loop factors (0: none). Throws
/// as user_ordering() and loop_factors() do.
PermutedLoops permuted_loops(const Layer& layer, const SpatialMapping& spatial_mapping, int factor_limit,
                             const Rules& rules);

}  // namespace zz::core
