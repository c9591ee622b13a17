#pragma once
#include <vector>

#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/multicore/schedule/scheduler.hpp"

namespace zz::core {

/// The ready list of list scheduling: nodes whose predecessors are scheduled. For the dispatch rules that
/// look at times.
///
/// For earliest_start each core has two heaps: nodes that could start as soon as the core is idle, by rank,
/// and nodes whose predecessors end later, by that time. Taking a node costs one look at each core.
class ReadyList {
 public:
  void reset(DispatchRule rule, int cores, const std::vector<int>& rank_of);
  bool empty() const { return count_ == 0; }
  /// `end`: of the last predecessor. `priority` of critical_path: smaller first.
  void add(int node, int core, double end, double priority);
  int take(const std::vector<double>& core_idle);

 private:
  struct Entry {
    double key = 0;
    int rank = 0, node = 0;

    bool operator>(const Entry& other) const {
      return key > other.key || (key == other.key && rank > other.rank);
    }
  };
  static void push(std::vector<Entry>& heap, const Entry& entry);
  static Entry pop(std::vector<Entry>& heap);

  DispatchRule rule_ = DispatchRule::rank;
  const std::vector<int>* rank_of_ = nullptr;
  std::size_t count_ = 0;
  std::vector<std::vector<Entry>> startable_, later_;  ///< by core
};

/// The order in which list scheduling takes nodes when it looks at ranks alone: always the ready node with
/// the smallest rank. `waiting` is scratch space.
void order_by_rank(const CompressedRows<int>& successors, const std::vector<int>& predecessor_count,
                   const std::vector<int>& rank_of, std::vector<int>& waiting, std::vector<int>& sequence);

}  // namespace zz::core
