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

/// The window of samples of which nodes may be placed: at most so many at once, beginning with the first
/// one that is not complete (ScheduleChoice::samples_at_once). Where nodes are of several samples, it
/// counts in blocks of samples that no node reaches beyond.
class SampleWindow {
 public:
  void reset(const ComputationNodeGraph& graph, int samples_at_once);
  /// False where nodes of all samples may be placed from the beginning.
  bool limits() const { return at_once_ > 0; }
  /// True if nodes of its sample may be placed. Otherwise keeps it until they may.
  bool admits(int node);
  /// Counts a node as placed. `release` is called with each node that may now be placed.
  template <class Release>
  void placed(int node, Release release) {
    if (at_once_ == 0) return;
    --left_[block_of(node)];
    while (first_ + 1 < left_.size() && left_[first_] == 0) {
      ++first_;
      const std::size_t opened = first_ + at_once_ - 1;
      if (opened >= kept_.size()) continue;
      for (const int kept : kept_[opened]) release(kept);
      kept_[opened].clear();
    }
  }

 private:
  std::size_t block_of(int node) const { return graph_->sample_of(node) / block_; }

  const ComputationNodeGraph* graph_ = nullptr;
  int block_ = 1;                        ///< samples
  std::size_t at_once_ = 0, first_ = 0;  ///< blocks
  std::vector<int> left_;                ///< by block: nodes that are not placed
  std::vector<std::vector<int>> kept_;   ///< by block: ready nodes
};

/// The order in which list scheduling takes nodes when it looks at ranks alone: always the ready node with
/// the smallest rank, of the samples in the window. `waiting` is scratch space.
void order_by_rank(const CompressedRows<int>& successors, const std::vector<int>& predecessor_count,
                   const std::vector<int>& rank_of, SampleWindow& window, std::vector<int>& waiting,
                   std::vector<int>& sequence);

}  // namespace zz::core
