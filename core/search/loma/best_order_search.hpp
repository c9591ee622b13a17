#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/loop_lattice.hpp"
#include "core/search/loma/allocation_tables.hpp"

namespace zz::core {

enum class OrderMetric { energy_total, latency_total2, edp };

/// Asks for the best of all orders of a lattice. A mapper asks, and who knows the costs may answer
/// (CostModel::search); if nobody does, all orders are enumerated and scored.
class BestOrderSearch {
 public:
  // The question.
  std::shared_ptr<const LoopLattice> lattice;
  /// Kinds of the lattice in the order that enumeration gives them: its first order has the last of them
  /// innermost. See DistinctOrders.
  std::vector<int> kinds;
  std::shared_ptr<const AllocationTables> allocation;  ///< of the lattice
  MappingType type = MappingType::uneven;
  std::int64_t orders = 0;  ///< how many there are
  /// Every order fits into the memories, and there are so many that bounds pay.
  bool bounded = false;
  std::vector<OrderMetric> metrics;  ///< compared one after the other; smaller is better
  std::size_t keep = 1;              ///< how many; of equally good ones those enumerated first
  /// Asked now and then, by any thread of the search; true: do not go on, and leave it unanswered.
  std::function<bool()> stop;

  // The answer.
  bool answered = false;
  std::int64_t evaluated = 0;        ///< orders that fit into the memories: those that the answer covers
  std::vector<CompactMapping> best;  ///< in the order of enumeration
};

}  // namespace zz::core
