#pragma once
#include "core/cost/cost_model_options.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/cost/link_tables.hpp"
#include "core/mapping/best_order_search.hpp"

namespace zz::core {

/// Answers the question by walking the tree of orders, passing over branches whose bounds say that none of
/// their orders can be among the best: exactly what evaluating all of them in turn would keep, ties
/// included. Leaves it unanswered where nothing can be bounded. `links` is of the question's lattice.
void find_best_orders(const CostTables& tables, const CostModelOptions& options, LinkTables& links,
                      BestOrderSearch& question);

}  // namespace zz::core
