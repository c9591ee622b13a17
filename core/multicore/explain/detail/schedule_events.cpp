#include "core/multicore/explain/detail/schedule_events.hpp"

#include <algorithm>
#include <utility>

namespace zz::core {
namespace {

/// Intervals joined where they touch or overlap, ascending.
std::vector<TimeInterval> joined(std::vector<TimeInterval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const TimeInterval& a, const TimeInterval& b) { return a.start < b.start; });
  std::vector<TimeInterval> result;
  for (const TimeInterval& one : intervals) {
    if (!result.empty() && one.start <= result.back().end)
      result.back().end = std::max(result.back().end, one.end);
    else
      result.push_back(one);
  }
  return result;
}

/// Adds the parts of `busy` that lie in the window.
void add_clipped(std::vector<TimeInterval>& parts, const std::vector<TimeInterval>& busy, double from,
                 double to) {
  auto one = std::partition_point(busy.begin(), busy.end(),
                                  [from](const TimeInterval& interval) { return interval.end <= from; });
  for (; one != busy.end() && one->start < to; ++one)
    parts.push_back({std::max(from, one->start), std::min(to, one->end)});
}

/// Gives the cycles from `at` to `until` to one cause. Times that are over count nothing.
void spend(double& at, TimeUse use, double until, int transfer, std::vector<Wait>& waits) {
  if (until <= at) return;
  waits.push_back({use, at, until, transfer});
  at = until;
}

}  // namespace

ScheduleEvents::ScheduleEvents(const Schedule& schedule)
    : schedule_(schedule),
      graph_(*schedule.graph),
      accelerator_(*schedule.accelerator),
      activity_(link_activity(schedule)),
      node_end_(graph_.nodes.size(), 0),
      node_start_(graph_.nodes.size(), 0),
      writers_(graph_.tensors.size()),
      transfers_of_(graph_.tensors.size()) {
  for (const ScheduledNode& node : schedule.nodes) {
    node_start_[node.node] = node.start;
    node_end_[node.node] = node.end;
    if (const int output = graph_.nodes[node.node].tensors[0]; output >= 0)
      writers_[output].push_back(node.node);
  }
  for (std::size_t i = 0; i < schedule.transfers.size(); ++i)
    transfers_of_[schedule.transfers[i].tensor].push_back(static_cast<int>(i));
  for (const LinkActivity& activity : activity_) {
    std::vector<TimeInterval> busy;
    for (const int i : activity.transfers)
      busy.push_back({schedule.transfers[i].start, schedule.transfers[i].end});
    for (const int i : activity.blocks) busy.push_back({schedule.blocks[i].start, schedule.blocks[i].end});
    link_busy_.push_back(joined(std::move(busy)));
  }
}

std::vector<Wait> ScheduleEvents::waits_before(const ScheduledNode& next, double from) const {
  std::vector<Wait> waits;
  double at = from, ready = 0;
  for (int i = graph_.predecessor_begin[next.node]; i < graph_.predecessor_begin[next.node + 1]; ++i)
    ready = std::max(ready, node_end_[graph_.dependencies[graph_.predecessors[i]].from]);
  spend(at, TimeUse::earlier_nodes, std::min(ready, next.start), -1, waits);
  for (const Transfer* transfer : arrivals(next)) {
    add_waits(*transfer, at, waits);
    spend(at, is_constant(*transfer) ? TimeUse::constants_coming : TimeUse::data_coming, transfer->end,
          static_cast<int>(transfer - schedule_.transfers.data()), waits);
  }
  spend(at, streams(next) ? TimeUse::busy_links : TimeUse::memory, next.start, -1, waits);
  return waits;
}

std::vector<Wait> ScheduleEvents::waits_before(const Transfer& transfer, double from) const {
  std::vector<Wait> waits;
  add_waits(transfer, from, waits);
  return waits;
}

/// Until the transfer begins.
void ScheduleEvents::add_waits(const Transfer& transfer, double& at, std::vector<Wait>& waits) const {
  const int number = static_cast<int>(&transfer - schedule_.transfers.data());
  spend(at, TimeUse::earlier_nodes, std::min(available(transfer), transfer.start), number, waits);
  if (transfer.start <= at) return;
  std::vector<TimeInterval> busy;
  for (const int link : transfer.links) add_clipped(busy, link_busy_[link], at, transfer.start);
  for (const TimeInterval& part : joined(std::move(busy))) {
    spend(at, TimeUse::memory, part.start, number, waits);
    spend(at, TimeUse::busy_links, part.end, number, waits);
  }
  spend(at, TimeUse::memory, transfer.start, number, waits);
}

TimeUse ScheduleEvents::use_of(const Transfer& transfer) const {
  if (accelerator_.offchip_core == transfer.receiver) return TimeUse::writing_back;
  return is_constant(transfer) ? TimeUse::carrying_constants : TimeUse::carrying_data;
}

bool ScheduleEvents::is_constant(const Transfer& transfer) const {
  return accelerator_.offchip_core == transfer.sender && writers_[transfer.tensor].empty();
}

const CoreCost* ScheduleEvents::cost_of(const ScheduledNode& node) const {
  return schedule_.costs ? schedule_.costs->find(graph_.nodes[node.node], node.core) : nullptr;
}

std::vector<const Transfer*> ScheduleEvents::arrivals(const ScheduledNode& node) const {
  std::vector<const Transfer*> found;
  for (const int tensor : needs_of(node.node)) {
    for (const int i : transfers_of_[tensor]) {
      const Transfer& transfer = schedule_.transfers[i];
      const std::vector<int>& owners = accelerator_.top_memories[transfer.receiver_memory].cores;
      const bool here = std::find(owners.begin(), owners.end(), node.core) != owners.end();
      const bool streamed = accelerator_.offchip_core == transfer.receiver && streams(node);
      if ((here || streamed) && transfer.end <= node.start) found.push_back(&transfer);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Transfer* a, const Transfer* b) { return a->start < b->start; });
  return found;
}

/// Its constants, its output where others have added to it, and what its predecessors make.
std::vector<int> ScheduleEvents::needs_of(int node) const {
  std::vector<int> needs;
  for (const int tensor : graph_.nodes[node].tensors)
    if (tensor >= 0) needs.push_back(tensor);
  for (int i = graph_.predecessor_begin[node]; i < graph_.predecessor_begin[node + 1]; ++i) {
    const Dependency& dependency = graph_.dependencies[graph_.predecessors[i]];
    const int made = graph_.nodes[dependency.from].tensors[0];
    if (dependency.operand >= 0 && made >= 0) needs.push_back(made);
  }
  std::sort(needs.begin(), needs.end());
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  return needs;
}

bool ScheduleEvents::streams(const ScheduledNode& node) const {
  const CoreCost* cost = cost_of(node);
  return cost != nullptr && !cost->streamed.empty();
}

/// When the sender has the tensor: computed there, or arrived.
double ScheduleEvents::available(const Transfer& transfer) const {
  double time = 0;
  for (const int writer : writers_[transfer.tensor])
    if (node_end_[writer] <= transfer.start) time = std::max(time, node_end_[writer]);
  if (writers_[transfer.tensor].empty() && accelerator_.offchip_core == transfer.sender) return 0;
  for (const int i : transfers_of_[transfer.tensor]) {
    const Transfer& earlier = schedule_.transfers[i];
    if (earlier.receiver == transfer.sender && earlier.end <= transfer.start)
      time = std::max(time, earlier.end);
  }
  return time;
}

}  // namespace zz::core
