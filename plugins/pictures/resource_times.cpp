#include "plugins/pictures/resource_times.hpp"

#include <algorithm>

#include "plugins/pictures/schedule_rows.hpp"

namespace zz::plugins {
namespace {

struct Interval {
  double start = 0, end = 0;
};

/// Intervals joined where they touch or overlap, ascending.
std::vector<Interval> joined(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  std::vector<Interval> result;
  for (const Interval& one : intervals) {
    if (!result.empty() && one.start <= result.back().end)
      result.back().end = std::max(result.back().end, one.end);
    else
      result.push_back(one);
  }
  return result;
}

/// Adds the parts of `busy` that lie in the window.
void add_clipped(std::vector<Interval>& parts, const std::vector<Interval>& busy, double from, double to) {
  auto one = std::partition_point(busy.begin(), busy.end(),
                                  [from](const Interval& interval) { return interval.end <= from; });
  for (; one != busy.end() && one->start < to; ++one)
    parts.push_back({std::max(from, one->start), std::min(to, one->end)});
}

class TimeSheets {
 public:
  explicit TimeSheets(const core::Schedule& schedule)
      : schedule_(schedule),
        graph_(*schedule.graph),
        accelerator_(*schedule.accelerator),
        activity_(core::link_activity(schedule)),
        node_end_(graph_.nodes.size(), 0),
        node_start_(graph_.nodes.size(), 0),
        writers_(graph_.tensors.size()),
        transfers_of_(graph_.tensors.size()) {
    for (const core::ScheduledNode& node : schedule.nodes) {
      node_start_[node.node] = node.start;
      node_end_[node.node] = node.end;
      if (const int output = graph_.nodes[node.node].tensors[0]; output >= 0)
        writers_[output].push_back(node.node);
    }
    for (std::size_t i = 0; i < schedule.transfers.size(); ++i)
      transfers_of_[schedule.transfers[i].tensor].push_back(static_cast<int>(i));
    for (const core::LinkActivity& activity : activity_) {
      std::vector<Interval> busy;
      for (const int i : activity.transfers)
        busy.push_back({schedule.transfers[i].start, schedule.transfers[i].end});
      for (const int i : activity.blocks)
        busy.push_back({schedule.blocks[i].start, schedule.blocks[i].end});
      link_busy_.push_back(joined(std::move(busy)));
    }
  }

  ResourceTime sheet(const ScheduleRow& row) {
    sheet_ = {row.label, row.link, row.index, {}};
    at_ = 0;
    if (row.link)
      link(row.index);
    else
      core(row.index);
    spend(TimeUse::nothing_left, schedule_.latency);
    return sheet_;
  }

 private:
  /// Gives the cycles from the last entry to `until` to one use. Times that are over count nothing.
  void spend(TimeUse use, double until) {
    until = std::min(until, schedule_.latency);
    if (until <= at_) return;
    sheet_.cycles[static_cast<int>(use)] += until - at_;
    at_ = until;
  }

  void core(int core) {
    std::vector<const core::ScheduledNode*> nodes;
    for (const core::ScheduledNode& node : schedule_.nodes)
      if (node.core == core) nodes.push_back(&node);
    std::stable_sort(
        nodes.begin(), nodes.end(),
        [](const core::ScheduledNode* a, const core::ScheduledNode* b) { return a->start < b->start; });
    for (const core::ScheduledNode* node : nodes) {
      if (node->start > at_) wait_for(*node);
      const core::CoreCost* cost = cost_of(*node);
      if (cost != nullptr) {
        const double ideal = cost->evaluation ? cost->evaluation->ideal_temporal_cycle : cost->runtime;
        spend(TimeUse::computing, std::min(node->end, node->start + std::min(ideal, cost->runtime)));
        spend(TimeUse::stalling, std::min(node->end, node->start + cost->runtime));
      }
      // A stream that gets less than it can use makes a node longer than its cost.
      spend(cost != nullptr ? TimeUse::slow_streams : TimeUse::computing, node->end);
    }
  }

  void wait_for(const core::ScheduledNode& next) {
    double ready = 0;
    for (int i = graph_.predecessor_begin[next.node]; i < graph_.predecessor_begin[next.node + 1]; ++i)
      ready = std::max(ready, node_end_[graph_.dependencies[graph_.predecessors[i]].from]);
    spend(TimeUse::earlier_nodes, std::min(ready, next.start));
    for (const core::Transfer* transfer : arrivals(next)) {
      wait_for(*transfer);
      spend(is_constant(*transfer) ? TimeUse::constants_coming : TimeUse::data_coming, transfer->end);
    }
    spend(streams(next) ? TimeUse::busy_links : TimeUse::memory, next.start);
  }

  /// Until the transfer begins.
  void wait_for(const core::Transfer& transfer) {
    spend(TimeUse::earlier_nodes, std::min(available(transfer), transfer.start));
    if (transfer.start <= at_) return;
    std::vector<Interval> busy;
    for (const int link : transfer.links) add_clipped(busy, link_busy_[link], at_, transfer.start);
    for (const Interval& part : joined(std::move(busy))) {
      spend(TimeUse::memory, part.start);
      spend(TimeUse::busy_links, part.end);
    }
    spend(TimeUse::memory, transfer.start);
  }

  void link(int link) {
    struct Bar {
      Interval time;
      const core::Transfer* transfer = nullptr;  ///< none: a reservation
      int node = -1;                             ///< that has reserved it
    };
    std::vector<Bar> bars;
    for (const int i : activity_[link].transfers) {
      const core::Transfer& transfer = schedule_.transfers[i];
      bars.push_back({{transfer.start, transfer.end}, &transfer, -1});
    }
    for (const int i : activity_[link].blocks) {
      const core::StreamBlock& block = schedule_.blocks[i];
      bars.push_back({{block.start, block.end}, nullptr, block.node});
    }
    std::stable_sort(bars.begin(), bars.end(),
                     [](const Bar& a, const Bar& b) { return a.time.start < b.time.start; });
    for (const Bar& bar : bars) {
      if (bar.transfer == nullptr) {
        // A node that runs already had less of its links until now.
        spend(TimeUse::earlier_nodes, std::min(node_start_[bar.node], bar.time.start));
        spend(TimeUse::busy_links, bar.time.start);
        spend(TimeUse::streaming, bar.time.end);
        continue;
      }
      // Nobody asks for an eviction before the room is needed.
      if (bar.transfer->purpose == core::EnergyTerm::eviction_memory)
        spend(TimeUse::nothing_left, bar.time.start);
      else
        wait_for(*bar.transfer);
      spend(use_of(*bar.transfer), bar.time.end);
    }
  }

  TimeUse use_of(const core::Transfer& transfer) const {
    if (accelerator_.offchip_core == transfer.receiver) return TimeUse::writing_back;
    return is_constant(transfer) ? TimeUse::carrying_constants : TimeUse::carrying_data;
  }

  bool is_constant(const core::Transfer& transfer) const {
    return accelerator_.offchip_core == transfer.sender && writers_[transfer.tensor].empty();
  }

  const core::CoreCost* cost_of(const core::ScheduledNode& node) const {
    return schedule_.costs ? schedule_.costs->find(graph_.nodes[node.node], node.core) : nullptr;
  }

  /// The transfers that brought what a node works on to its core, or off chip for what it streams, by
  /// start.
  std::vector<const core::Transfer*> arrivals(const core::ScheduledNode& node) const {
    std::vector<const core::Transfer*> found;
    for (const int tensor : needs_of(node.node)) {
      for (const int i : transfers_of_[tensor]) {
        const core::Transfer& transfer = schedule_.transfers[i];
        const std::vector<int>& owners = accelerator_.top_memories[transfer.receiver_memory].cores;
        const bool here = std::find(owners.begin(), owners.end(), node.core) != owners.end();
        const bool streamed = accelerator_.offchip_core == transfer.receiver && streams(node);
        if ((here || streamed) && transfer.end <= node.start) found.push_back(&transfer);
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const core::Transfer* a, const core::Transfer* b) { return a->start < b->start; });
    return found;
  }

  /// Its constants, its output where others have added to it, and what its predecessors make.
  std::vector<int> needs_of(int node) const {
    std::vector<int> needs;
    for (const int tensor : graph_.nodes[node].tensors)
      if (tensor >= 0) needs.push_back(tensor);
    for (int i = graph_.predecessor_begin[node]; i < graph_.predecessor_begin[node + 1]; ++i) {
      const core::Dependency& dependency = graph_.dependencies[graph_.predecessors[i]];
      const int made = graph_.nodes[dependency.from].tensors[0];
      if (dependency.operand >= 0 && made >= 0) needs.push_back(made);
    }
    std::sort(needs.begin(), needs.end());
    needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    return needs;
  }

  bool streams(const core::ScheduledNode& node) const {
    const core::CoreCost* cost = cost_of(node);
    return cost != nullptr && !cost->streamed.empty();
  }

  /// When the sender has the tensor: computed there, or arrived.
  double available(const core::Transfer& transfer) const {
    double time = 0;
    for (const int writer : writers_[transfer.tensor])
      if (node_end_[writer] <= transfer.start) time = std::max(time, node_end_[writer]);
    if (writers_[transfer.tensor].empty() && accelerator_.offchip_core == transfer.sender) return 0;
    for (const int i : transfers_of_[transfer.tensor]) {
      const core::Transfer& earlier = schedule_.transfers[i];
      if (earlier.receiver == transfer.sender && earlier.end <= transfer.start)
        time = std::max(time, earlier.end);
    }
    return time;
  }

  const core::Schedule& schedule_;
  const core::ComputationNodeGraph& graph_;
  const core::MultiCoreAccelerator& accelerator_;
  std::vector<core::LinkActivity> activity_;
  std::vector<std::vector<Interval>> link_busy_;
  std::vector<double> node_end_, node_start_;
  std::vector<std::vector<int>> writers_;       ///< [tensor]: nodes
  std::vector<std::vector<int>> transfers_of_;  ///< [tensor]
  ResourceTime sheet_;
  double at_ = 0;
};

}  // namespace

std::vector<ResourceTime> resource_times(const core::Schedule& schedule) {
  TimeSheets sheets(schedule);
  std::vector<ResourceTime> times;
  for (const ScheduleRow& row : schedule_rows(schedule).rows) times.push_back(sheets.sheet(row));
  return times;
}

}  // namespace zz::plugins
