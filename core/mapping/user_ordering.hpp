#pragma once
#include <vector>

#include "core/mapping/loop_factors.hpp"
#include "core/mapping/temporal_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// True when the ordering of the mapping file names a size for every loop and these make up exactly what
/// remains in time: then it is the mapping, and nothing is searched. An empty one is complete when nothing
/// remains.
bool is_complete_ordering(const Layer& layer, const std::vector<RemainingLoop>& remaining);

/// The ordering as constraints: entries count from the innermost loop, those behind a "*" (any loops) from
/// the outermost. Throws InputError for an unknown loop or a second "*".
std::vector<OrderConstraint> order_constraints(const Layer& layer);

}  // namespace zz::core
