#include "core/search/temporal/loop_factors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/factors.hpp"
#include "core/cost/rounding.hpp"
#include "core/search/temporal/user_ordering.hpp"

namespace zz::core {
namespace {

using Entries = std::vector<std::pair<std::int64_t, int>>;

Entries::iterator find_value(Entries& entries, std::int64_t value) {
  return std::find_if(entries.begin(), entries.end(),
                      [&](const auto& entry) { return entry.first == value; });
}

int factor_count(const FactorTable& table) {
  int count = 0;
  for (const auto& entry : table.entries) count += entry.second;
  return count;
}

void insert_sorted(Entries& entries, std::int64_t value) {
  if (const auto present = find_value(entries, value); present != entries.end()) {
    ++present->second;
    return;
  }
  const auto smaller =
      std::count_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.first < value; });
  entries.insert(entries.begin() + smaller, {value, 1});
}

[[noreturn]] void cannot_constrain(const Layer& layer, int dimension, std::int64_t size) {
  throw NoResult(fmt::format(
      "layer '{}': the temporal ordering asks for a loop {} of size {}, which the iterations of "
      "{} that remain in time cannot be split into",
      layer.name, layer.loops[dimension].name, size, layer.loops[dimension].name));
}

/// Makes one factor `size` of primes of the table.
void keep_whole(const Layer& layer, FactorTable& table, std::int64_t size,
                bool composite_factors_as_given) {
  if (size < 2) return;
  for (const auto& [prime, power] : prime_factors(size)) {
    const auto entry = find_value(table.entries, prime);
    if (entry == table.entries.end() || entry->second < power)
      cannot_constrain(layer, table.dimension, size);
    entry->second -= power;
    if (!composite_factors_as_given) continue;
    // ZigZag adds the size once for every prime, and where it is there already, adds the prime back.
    if (find_value(table.entries, size) != table.entries.end()) {
      ++find_value(table.entries, prime)->second;
    } else {
      table.entries.emplace_back(size, 1);
    }
  }
  if (!composite_factors_as_given) {
    std::erase_if(table.entries, [](const auto& entry) { return entry.second == 0; });
    insert_sorted(table.entries, size);
  }
}

/// Constraints on this dimension that ask for the size; without one, those that ask for none.
int claims(const FactorTable& table, const std::vector<OrderConstraint>& constraints,
           std::optional<std::int64_t> size) {
  return static_cast<int>(
      std::count_if(constraints.begin(), constraints.end(), [&](const OrderConstraint& constraint) {
        return constraint.dimension == table.dimension && constraint.size == size;
      }));
}

/// Replaces the two smallest factors that no constraint claims by their product. False: the constraints
/// need all that are left.
bool merge_unclaimed(FactorTable& table, const std::vector<OrderConstraint>& constraints) {
  Entries& entries = table.entries;
  std::vector<std::size_t> smallest;
  int unclaimed = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const int free = entries[i].second - claims(table, constraints, entries[i].first);
    for (int k = 0; k < free && smallest.size() < 2; ++k) smallest.push_back(i);
    unclaimed += std::max(free, 0);
  }
  if (smallest.size() < 2 || unclaimed <= claims(table, constraints, std::nullopt)) return false;
  const std::int64_t product = entries[smallest[0]].first * entries[smallest[1]].first;
  for (const std::size_t i : smallest) --entries[i].second;
  std::erase_if(entries, [](const auto& entry) { return entry.second == 0; });
  insert_sorted(entries, product);
  return true;
}

/// The same as ZigZag chooses: it spares claimed factors only as long as others are there.
void merge_as_zigzag(const Layer& layer, FactorTable& table,
                     const std::vector<OrderConstraint>& constraints) {
  Entries& entries = table.entries;
  std::erase_if(entries, [](const auto& entry) { return entry.second == 0; });
  std::optional<std::size_t> first;
  std::optional<std::size_t> second;
  for (std::size_t i = 0; i < entries.size() && !second; ++i) {
    const int claimed = claims(table, constraints, entries[i].first);
    if (claimed > 0 && entries[i].second <= claimed) continue;
    if (first) {
      second = i;
    } else {
      first = i;
      if (entries[i].second > claimed + 1) second = i;
    }
  }
  if (!second) second = entries.size() - 1;
  if (!first) first = 0;
  const std::int64_t product = entries[*first].first * entries[*second].first;
  --entries[*first].second;
  --entries[*second].second;
  if (entries[*first].second < 0 || entries[*second].second < 0) {
    cannot_constrain(layer, table.dimension, entries[*first].first);
  }
  std::erase_if(entries, [](const auto& entry) { return entry.second == 0; });
  insert_sorted(entries, product);
}

}  // namespace

int prime_factor_count(std::int64_t number) { return factor_count({0, prime_factors(number)}); }

std::vector<RemainingLoop> remaining_loops(const Layer& layer, const SpatialMapping& spatial_mapping,
                                           const Rules& rules) {
  std::vector<double> sizes;
  for (const LoopDimension& loop : layer.loops) sizes.push_back(static_cast<double>(loop.size));
  std::vector<double> unrolled(sizes.size(), 1);
  // Every operand lists all unrolled loops. ZigZag reads those of the first input.
  for (const auto& level : spatial_mapping.operands.at(1).levels) {
    for (const UnrolledLoop& loop : level) {
      const int dimension = layer.loop_index(loop.dimension);
      if (dimension < 0) {
        throw InputError(fmt::format("layer '{}' has no loop {}, which the spatial mapping unrolls",
                                     layer.name, loop.dimension));
      }
      if (!rules.rounds_from_quotient) {
        unrolled[dimension] *= loop.factor;
      } else if (sizes[dimension] > 1) {
        sizes[dimension] = std::trunc(std::ceil(sizes[dimension] / loop.factor));
      }
    }
  }
  std::vector<RemainingLoop> remaining;
  for (std::size_t dimension = 0; dimension < sizes.size(); ++dimension) {
    double size = sizes[dimension];
    if (!rules.rounds_from_quotient) size = rounds_of(size, unrolled[dimension]);
    if (size > 1) remaining.push_back({static_cast<int>(dimension), static_cast<std::int64_t>(size)});
  }
  return remaining;
}

std::vector<FactorTable> loop_factors(const Layer& layer, const std::vector<RemainingLoop>& loops,
                                      const std::vector<OrderConstraint>& constraints, int limit,
                                      const Rules& rules) {
  std::vector<FactorTable> tables;
  for (const RemainingLoop& loop : loops) tables.push_back({loop.dimension, prime_factors(loop.size)});
  for (const OrderConstraint& constraint : constraints) {
    if (!constraint.size) continue;
    const auto table = std::find_if(tables.begin(), tables.end(), [&](const FactorTable& candidate) {
      return candidate.dimension == constraint.dimension;
    });
    if (table == tables.end()) cannot_constrain(layer, constraint.dimension, *constraint.size);
    keep_whole(layer, *table, *constraint.size, rules.composite_factors_as_given);
  }
  if (limit <= 0) return tables;
  limit = std::max(limit, static_cast<int>(tables.size()));
  std::vector<bool> exhausted(tables.size(), false);
  for (;;) {
    int total = 0;
    int largest = 0;
    std::optional<std::size_t> most;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const int count = factor_count(tables[i]);
      total += count;
      if (exhausted[i] || (most && count <= largest)) continue;
      most = i;
      largest = count;
    }
    if (total <= limit || !most) return tables;
    if (rules.ordered_loops_merged) {
      merge_as_zigzag(layer, tables[*most], constraints);
    } else {
      exhausted[*most] = !merge_unclaimed(tables[*most], constraints);
    }
  }
}

double count_of_orders(const Layer& layer, const SpatialMapping& spatial_mapping, const Rules& rules) {
  double orders = 1;
  int placed = 0;
  for (const RemainingLoop& loop : remaining_loops(layer, spatial_mapping, rules)) {
    for (const auto& [prime, count] : prime_factors(loop.size)) {
      for (int of_this = 1; of_this <= count; ++of_this) orders = orders * ++placed / of_this;
    }
  }
  return orders;
}

PermutedLoops permuted_loops(const Layer& layer, const SpatialMapping& spatial_mapping, int factor_limit,
                             const Rules& rules) {
  // ZigZag raises a limit to one factor a loop, so that its 0 is no other than 1.
  if (factor_limit == 0 && rules.zero_limit_merges_all) factor_limit = 1;
  const std::vector<RemainingLoop> remaining = remaining_loops(layer, spatial_mapping, rules);
  UserOrdering ordering = user_ordering(layer, remaining, OrderingUse::search, rules);
  if (ordering.complete) return {true, std::move(ordering.loops), {}, std::move(ordering.cuts)};
  PermutedLoops permuted{false, {}, std::move(ordering.constraints), {}};
  for (const FactorTable& table :
       loop_factors(layer, remaining, permuted.constraints, factor_limit, rules)) {
    for (const auto& [value, count] : table.entries)
      permuted.loops.insert(permuted.loops.end(), static_cast<std::size_t>(count),
                            {table.dimension, value});
  }
  return permuted;
}

}  // namespace zz::core
