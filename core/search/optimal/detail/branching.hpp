#pragma once
#include <optional>
#include <vector>

#include "core/search/optimal/detail/subproblem.hpp"
#include "core/search/optimal/detail/subproblem_bounds.hpp"

namespace zz::core {

/// The branching step of LatencySearch: ways to split a subproblem whose search has begun. The children
/// together have all mappings of the subproblem that may be better than what is known, and no search yet.
/// Nothing: the split is not possible, or does not tighten the bound.
using Children = std::optional<std::vector<Subproblem>>;

/// By fill classes, if that brings the bound half the way to `limit`: there are many children, and each is
/// a search of its own.
Children split_by_class(const SubproblemBounds& bounds, const Subproblem& node, double limit);

/// With a joint cost-to-go, or, where there is one already, by each half of its capacity branch. Mixtures
/// of ports are made of the terms that are longest in the search so far. The children may be none.
Children split_by_capacity(const SubproblemBounds& bounds, const Subproblem& node);

}  // namespace zz::core
