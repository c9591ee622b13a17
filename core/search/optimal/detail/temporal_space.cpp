#include "core/search/optimal/detail/temporal_space.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/search/temporal/user_ordering.hpp"

namespace zz::core {
namespace {

void add(std::vector<LoopKind>& kinds, int dimension, std::int64_t size, int count) {
  const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const LoopKind& kind) {
    return kind.dimension == dimension && kind.size == size;
  });
  if (same != kinds.end())
    same->count += count;
  else
    kinds.push_back({dimension, size, count});
}

}  // namespace

TemporalSpace::TemporalSpace(const Layer& layer, const SpatialMapping& spatial_mapping, int factor_limit,
                             const Rules& rules)
    : operands_(static_cast<int>(layer.operands.size())) {
  const std::vector<RemainingLoop> remaining = remaining_loops(layer, spatial_mapping, rules);
  UserOrdering ordering = user_ordering(layer, remaining, OrderingUse::search, rules);
  std::vector<LoopKind> kinds;
  if (ordering.complete) {
    for (const RemainingLoop& loop : ordering.loops) {
      constraints_.push_back({static_cast<int>(constraints_.size()), loop.dimension, loop.size});
      add(kinds, loop.dimension, loop.size, 1);
    }
  } else {
    constraints_ = std::move(ordering.constraints);
    for (const FactorTable& table : loop_factors(layer, remaining, constraints_, factor_limit, rules)) {
      for (const auto& [size, count] : table.entries)
        if (size > 1) add(kinds, table.dimension, size, count);
    }
  }
  int loops = 0;
  for (const LoopKind& kind : kinds) loops += kind.count;
  if (loops > max_temporal_loops) {
    throw InputError(fmt::format("layer '{}' has {} temporal loop factors; at most {} can be mapped",
                                 layer.name, loops, max_temporal_loops));
  }
  for (OrderConstraint& constraint : constraints_) {
    if (constraint.position < 0) constraint.position += loops;
  }
  lattice_.emplace(std::move(kinds));
  for (int operand = 0; operand < operands_; ++operand) {
    for (const LoopKind& kind : lattice_->kinds()) {
      const Relevancy relevancy = layer.relevancy(operand, kind.dimension);
      irrelevant_[operand].push_back(relevancy == Relevancy::irrelevant);
      replaces_[operand].push_back(relevancy == Relevancy::relevant);
    }
    all_irrelevant_[operand].assign(lattice_->size(), true);
    irrelevant_above_[operand].assign(lattice_->size(), false);
    changes_above_[operand].assign(lattice_->size(), false);
    for (std::size_t multiset = 0; multiset < lattice_->size(); ++multiset) {
      for (std::size_t kind = 0; kind < lattice_->kinds().size(); ++kind) {
        const bool irrelevant = irrelevant_[operand][kind];
        if (!irrelevant && lattice_->count(multiset, kind) > 0) all_irrelevant_[operand][multiset] = false;
        if (lattice_->has_more(multiset, kind))
          (irrelevant ? irrelevant_above_ : changes_above_)[operand][multiset] = true;
      }
    }
  }
}

bool TemporalSpace::agrees(int position, std::size_t kind) const {
  const LoopKind& loop = lattice_->kinds()[kind];
  return std::all_of(constraints_.begin(), constraints_.end(), [&](const OrderConstraint& constraint) {
    return constraint.position != position ||
           (constraint.dimension == loop.dimension && constraint.size.value_or(loop.size) == loop.size);
  });
}

}  // namespace zz::core
