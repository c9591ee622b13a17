#pragma once
#include <vector>

#include "core/multicore/explain/resource_times.hpp"
#include "core/multicore/schedule/schedule.hpp"

namespace zz::core {

struct TimeInterval {
  double start = 0, end = 0;
};

/// A cause of waiting and its cycles.
struct Wait {
  TimeUse use = TimeUse::nothing_left;
  double from = 0, to = 0;
  int transfer = -1;  ///< whose way or arrival is waited for: a position in Schedule::transfers, or -1
};

/// The nodes and transfers of a schedule by what they wait for. Pages and words both rest on this. The
/// schedule must have its accelerator and graph, and outlive the object.
class ScheduleEvents {
 public:
  explicit ScheduleEvents(const Schedule& schedule);

  /// The causes of waiting between `from` and the start of a node, in order and without gaps: first for the
  /// nodes that it depends on, then for the transfers of its data, then for room or streams.
  std::vector<Wait> waits_before(const ScheduledNode& next, double from) const;
  /// The same of a transfer: for its sender to have the tensor, busy links of its way, room where it goes.
  std::vector<Wait> waits_before(const Transfer& transfer, double from) const;

  const std::vector<LinkActivity>& activity() const { return activity_; }
  /// The cycles in which a link carries something, or is reserved.
  const std::vector<TimeInterval>& busy(int link) const { return link_busy_[link]; }
  /// The start of a node of the graph; 0 where it does not run.
  double node_start(int node) const { return node_start_[node]; }
  const CoreCost* cost_of(const ScheduledNode& node) const;
  bool streams(const ScheduledNode& node) const;
  TimeUse use_of(const Transfer& transfer) const;
  bool is_constant(const Transfer& transfer) const;
  /// The nodes that write a tensor.
  const std::vector<int>& writers(int tensor) const { return writers_[tensor]; }
  /// The transfers of a tensor, as positions in Schedule::transfers.
  const std::vector<int>& transfers_of(int tensor) const { return transfers_of_[tensor]; }
  /// The transfers that brought what a node works on to its core, or off chip for what it streams, by
  /// start.
  std::vector<const Transfer*> arrivals(const ScheduledNode& node) const;

 private:
  std::vector<int> needs_of(int node) const;
  double available(const Transfer& transfer) const;
  void add_waits(const Transfer& transfer, double& at, std::vector<Wait>& waits) const;

  const Schedule& schedule_;
  const ComputationNodeGraph& graph_;
  const MultiCoreAccelerator& accelerator_;
  std::vector<LinkActivity> activity_;
  std::vector<std::vector<TimeInterval>> link_busy_;
  std::vector<double> node_end_, node_start_;
  std::vector<std::vector<int>> writers_;       ///< [tensor]: nodes
  std::vector<std::vector<int>> transfers_of_;  ///< [tensor]
};

}  // namespace zz::core
