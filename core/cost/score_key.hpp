#pragma once
#include <cstdint>
#include <vector>

#include "core/cost/cost_tables.hpp"
#include "core/cost/loop_cycles.hpp"
#include "core/mapping/loop_order_batch.hpp"

namespace zz::core {

/// True when amounts of data are products of whole numbers: the unrolling is whole, and no window slides
/// over the output. Such products are exact, whatever the order of their factors.
bool has_whole_amounts(const CostTables& tables);

/// Appends numbers that tell mappings of one model apart that may differ in their figures: for how long
/// each memory holds how much of each operand. Cheaper than the figures, and only for tables that have
/// whole amounts: where amounts are rounded, mappings that hold the same may differ in the last bit.
void append_score_key(const CostTables& tables, const CompactMapping& mapping, const LoopCycles& cycles,
                      std::vector<std::uint64_t>& key);

}  // namespace zz::core
