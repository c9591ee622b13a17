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
/// one that is not complete (ScheduleChoice::samples_at_once). All samples of a segment come before those
/// of the next. Where nodes are of several samples, a segment has blocks of samples that no node of it
/// reaches beyond.
class SampleWindow {
 public:
  void reset(const ComputationNodeGraph& graph, const ScheduleChoice& choice);
  /// False where nodes of all samples may be placed from the beginning.
  bool limits() const { return limits_; }
  /// True if nodes of its sample may be placed. Otherwise keeps it until they may.
  bool admits(int node);
  /// Counts a node as placed. `release` is called with each node that may now be placed.
  template <class Release>
  void placed(int node, Release release) {
    if (!limits_) return;
    --blocks_[block_of(node)].left;
    while (first_ + 1 < count_ && blocks_[first_].left == 0) ++first_;
    while (open_ < count_ && blocks_[open_].opens_at <= blocks_[first_].begin) {
      Block& opened = blocks_[open_++];
      for (const int kept : opened.kept) release(kept);
      opened.kept.clear();
    }
  }

 private:
  struct Segment {
    std::size_t first_block = 0;
    int block = 1;  ///< samples
  };
  struct Block {
    int begin = 0;          ///< its first sample, counted on from segment to segment
    int opens_at = 0;       ///< where the first block that is not complete has to begin
    int left = 0;           ///< nodes that are not placed
    std::vector<int> kept;  ///< ready nodes
  };

  std::size_t block_of(int node) const {
    const Segment& segment = segments_[segment_of_[graph_->nodes[node].layer]];
    return segment.first_block + static_cast<std::size_t>(graph_->sample_of(node) / segment.block);
  }

  const ComputationNodeGraph* graph_ = nullptr;
  bool limits_ = false;
  std::vector<int> segment_of_;  ///< by layer
  std::vector<Segment> segments_;
  std::vector<Block> blocks_;                     ///< by segment, then sample
  std::size_t count_ = 0, first_ = 0, open_ = 0;  ///< blocks; the first one not complete; those open
};

/// The order in which list scheduling takes nodes when it looks at ranks alone: always the ready node with
/// the smallest rank, of the samples in the window, and all that are in lockstep with it. `waiting` is
/// scratch space.
void order_by_rank(const ScheduleProblem::Tables& tables, const std::vector<int>& rank_of,
                   SampleWindow& window, std::vector<int>& waiting, std::vector<int>& sequence);

}  // namespace zz::core
