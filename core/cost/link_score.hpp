#pragma once
#include <optional>

#include "core/cost/cost_tables.hpp"
#include "core/cost/link_tables.hpp"
#include "core/cost/score_memo.hpp"
#include "core/mapping/loop_order_batch.hpp"

namespace zz::core {

/// The score of an order of the tables' lattice, bit for bit that of CostModel::score(mapping). Nothing
/// for the few that need a closer look (Link::special).
std::optional<Score> score_by_links(const CostTables& tables, const CostModelOptions& options,
                                    const CompactMapping& mapping, LinkTables& links);

}  // namespace zz::core
