#pragma once
#include <vector>

#include "core/schedule/compressed_rows.hpp"

namespace zz::core {

/// Nodes in the order in which list scheduling takes them when it looks at ranks alone: always the one with
/// the smallest rank among those whose predecessors were taken. `waiting` is scratch space.
void order_by_rank(const CompressedRows<int>& successors, const std::vector<int>& predecessor_count,
                   const std::vector<int>& rank_of, std::vector<int>& waiting, std::vector<int>& sequence);

}  // namespace zz::core
