#pragma once
#include <cstdint>
#include <optional>

#include "core/cost/cost_model_options.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/cost/link_tables.hpp"
#include "core/cost/order_cuts.hpp"
#include "core/cost/score_limit.hpp"

namespace zz::core {

/// The score of an order that is cut like this: the same, bit for bit, that the whole cost model gives.
/// Nothing when one of its links is special: only the whole model knows then. ScoreLimit::worse may stand
/// for a score above the limit.
std::optional<Score> score_by_links(const CostTables& tables, const CostModelOptions& options,
                                    const OrderCuts& cuts, LinkTables& links, const ScoreLimit& limit = {});

/// The boundaries, one bit each, below which a memory is so full that the figures follow not from the
/// points of the cuts alone: the runs at the upper end of those levels decide with them.
std::uint64_t boundaries_with_runs(const OrderCuts& cuts, LinkTables& links);

}  // namespace zz::core
