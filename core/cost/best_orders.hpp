#pragma once
#include "core/cost/cost_model_options.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/cost/shared_scores.hpp"
#include "core/search/loma/best_order_search.hpp"
#include "core/search/parallel_for.hpp"

namespace zz::core {

/// Answers the question by walking the tree of orders: exactly what evaluating all of them in turn would
/// keep, ties included. Where it is bounded, branches are passed over whose bounds say that none of their
/// orders can be among the best. Orders of one cost structure are scored once, and no further than is
/// needed to see that they are worse. Leaves the question unanswered where the links of some order do not
/// tell its cost, or no order fits. `scores` are of the question's lattice.
///
/// A bounded search of many orders is shared out to the threads, which take branches as they get done; the
/// answer is the same.
void find_best_orders(const CostTables& tables, const CostModelOptions& options, SharedScores& scores,
                      BestOrderSearch& question, const Threads& threads);

}  // namespace zz::core
