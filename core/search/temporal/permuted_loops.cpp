#include "core/search/temporal/permuted_loops.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/search/temporal/user_ordering.hpp"

namespace zz::core {
namespace {

bool is_wildcard(const OrderingEntry& entry) { return entry.dimension == "*"; }

/// Could following the rule make a difference?
bool may_matter(bool Rules::*rule, const Layer& layer, int factor_limit) {
  const std::vector<OrderingEntry>& ordering = layer.mapping.temporal_ordering;
  if (layer.sequential_loop() >= 0) return false;  // ZigZag has no such layers
  if (rule == &Rules::rounds_from_quotient) return true;
  if (rule == &Rules::zero_limit_merges_all) return factor_limit == 0;
  if (rule == &Rules::outer_wildcard_dropped)
    return std::any_of(ordering.begin(), ordering.end(), is_wildcard);
  return !ordering.empty();
}

/// Nothing where the ordering or the loops cannot be had. Equal spaces compare equal.
std::optional<PermutedLoops> space_of(const Layer& layer, const SpatialMapping& spatial_mapping,
                                      int factor_limit, const Rules& rules) {
  try {
    PermutedLoops space = permuted_loops(layer, spatial_mapping, factor_limit, rules);
    if (!space.fixed_order) {
      std::sort(space.loops.begin(), space.loops.end(), [](const RemainingLoop& a, const RemainingLoop& b) {
        return std::tie(a.dimension, a.size) < std::tie(b.dimension, b.size);
      });
    }
    return space;
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const NoResult&) {
    return std::nullopt;
  }
}

}  // namespace

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

std::vector<bool Rules::*> deviations_of_permuted_loops(const Layer& layer,
                                                        const SpatialMapping& spatial_mapping,
                                                        int factor_limit, const Rules& rules) {
  const std::optional<PermutedLoops> ours = space_of(layer, spatial_mapping, factor_limit, rules);
  std::vector<bool Rules::*> deviations;
  for (bool Rules::*const rule :
       {&Rules::rounds_from_quotient, &Rules::composite_factors_as_given, &Rules::ordered_loops_merged,
        &Rules::outer_wildcard_dropped, &Rules::zero_limit_merges_all, &Rules::orderings_unchecked}) {
    Rules original = rules;
    if (std::exchange(original.*rule, true) || !may_matter(rule, layer, factor_limit)) continue;
    std::optional<PermutedLoops> theirs;
    if (rule == &Rules::outer_wildcard_dropped) {
      // ZigZag's reader drops these entries.
      Layer without = layer;
      std::erase_if(without.mapping.temporal_ordering, is_wildcard);
      theirs = space_of(without, spatial_mapping, factor_limit, original);
    } else {
      theirs = space_of(layer, spatial_mapping, factor_limit, original);
    }
    if (theirs && theirs != ours) deviations.push_back(rule);
  }
  return deviations;
}

}  // namespace zz::core
