#include "core/search/temporal/permuted_loops.hpp"

#include <utility>

#include "core/search/temporal/user_ordering.hpp"

namespace zz::core {

PermutedLoops permuted_loops(const Layer& layer, const SpatialMapping& spatial_mapping, int factor_limit,
                             const Rules& rules) {
  // ZigZag raises a limit to one factor a loop, so that its 0 is no other than 1.
  if (factor_limit == 0 && rules.zero_limit_merges_all) factor_limit = 1;
  const std::vector<RemainingLoop> remaining = remaining_loops(layer, spatial_mapping, rules);
  UserOrdering ordering = user_ordering(layer, remaining, OrderingUse::search, rules);
  if (ordering.complete) return {true, std::move(ordering.loops), {}};
  PermutedLoops permuted{false, {}, std::move(ordering.constraints)};
  for (const FactorTable& table :
       loop_factors(layer, remaining, permuted.constraints, factor_limit, rules)) {
    for (const auto& [value, count] : table.entries)
      permuted.loops.insert(permuted.loops.end(), static_cast<std::size_t>(count),
                            {table.dimension, value});
  }
  return permuted;
}

}  // namespace zz::core
