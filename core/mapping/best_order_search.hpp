#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/mapping/loop_allocator.hpp"
#include "core/mapping/loop_lattice.hpp"
#include "core/mapping/loop_order_batch.hpp"

namespace zz::core {

enum class OrderMetric { energy_total, latency_total2, edp };

/// Asks for the best of all orders of a lattice, of which each fits into the memories. A mapper asks, and
/// who knows the costs may answer (CostModel::search); if nobody does, all orders are enumerated and
/// scored.
class BestOrderSearch {
 public:
  // The question.
  std::shared_ptr<const LoopLattice> lattice;
  /// Kinds of the lattice in the order that enumeration gives them: its first order has the last of them
  /// innermost. See DistinctOrders.
  std::vector<int> kinds;
  LoopAllocator allocator;           ///< with tables of the lattice
  std::vector<OrderMetric> metrics;  ///< compared one after the other; smaller is better
  std::size_t keep = 1;              ///< how many; of equally good ones those enumerated first
  std::function<bool()> stop;        ///< asked now and then; true: do not go on, and leave it unanswered

  // The answer.
  bool answered = false;
  std::vector<CompactMapping> best;  ///< in the order of enumeration
};

}  // namespace zz::core
