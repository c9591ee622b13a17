#include "core/multicore/explain/resource_times.hpp"

#include <algorithm>

#include "core/multicore/explain/detail/schedule_events.hpp"
#include "core/multicore/explain/schedule_labels.hpp"

namespace zz::core {
namespace {

class TimeSheets {
 public:
  explicit TimeSheets(const Schedule& schedule) : schedule_(schedule), events_(schedule) {}

  /// `nodes`: receives the share of each node, by position; may be null.
  ResourceTime sheet(const ScheduleResource& resource, std::vector<UseCycles>* nodes = nullptr) {
    sheet_ = {resource.label, resource.link, resource.index, {}};
    at_ = 0;
    if (resource.link)
      link(resource.index);
    else
      core(resource.index, nodes);
    node_ = nullptr;
    spend(TimeUse::nothing_left, schedule_.latency);
    return sheet_;
  }

 private:
  /// Gives the cycles from the last entry to `until` to one use. Times that are over count nothing.
  void spend(TimeUse use, double until) {
    until = std::min(until, schedule_.latency);
    if (until <= at_) return;
    sheet_.cycles[static_cast<int>(use)] += until - at_;
    if (node_ != nullptr) (*node_)[static_cast<int>(use)] += until - at_;
    at_ = until;
  }

  void spend(const std::vector<Wait>& waits) {
    for (const Wait& wait : waits) spend(wait.use, wait.to);
  }

  void core(int core, std::vector<UseCycles>* uses) {
    std::vector<const ScheduledNode*> nodes;
    for (const ScheduledNode& node : schedule_.nodes)
      if (node.core == core) nodes.push_back(&node);
    std::stable_sort(nodes.begin(), nodes.end(),
                     [](const ScheduledNode* a, const ScheduledNode* b) { return a->start < b->start; });
    for (const ScheduledNode* node : nodes) {
      if (uses != nullptr) node_ = &(*uses)[node - schedule_.nodes.data()];
      if (node->start > at_) spend(events_.waits_before(*node, at_));
      for (const NodeTime& part : node_times(*node, events_.cost_of(*node))) spend(part.use, part.end);
    }
  }

  void link(int link) {
    struct Bar {
      TimeInterval time;
      const Transfer* transfer = nullptr;  ///< none: a reservation
      int node = -1;                       ///< that has reserved it
    };
    std::vector<Bar> bars;
    for (const int i : events_.activity()[link].transfers) {
      const Transfer& transfer = schedule_.transfers[i];
      bars.push_back({{transfer.start, transfer.end}, &transfer, -1});
    }
    for (const int i : events_.activity()[link].blocks) {
      const StreamBlock& block = schedule_.blocks[i];
      bars.push_back({{block.start, block.end}, nullptr, block.node});
    }
    std::stable_sort(bars.begin(), bars.end(),
                     [](const Bar& a, const Bar& b) { return a.time.start < b.time.start; });
    for (const Bar& bar : bars) {
      if (bar.transfer == nullptr) {
        // A node that runs already had less of its links until now.
        spend(TimeUse::earlier_nodes, std::min(events_.node_start(bar.node), bar.time.start));
        spend(TimeUse::busy_links, bar.time.start);
        spend(TimeUse::streaming, bar.time.end);
        continue;
      }
      // Nobody asks for an eviction before the room is needed.
      if (bar.transfer->purpose == EnergyTerm::eviction_memory)
        spend(TimeUse::nothing_left, bar.time.start);
      else
        spend(events_.waits_before(*bar.transfer, at_));
      spend(events_.use_of(*bar.transfer), bar.time.end);
    }
  }

  const Schedule& schedule_;
  ScheduleEvents events_;
  ResourceTime sheet_;
  UseCycles* node_ = nullptr;  ///< the same for the node whose turn it is
  double at_ = 0;
};

/// The share of a node's stalls and loading in which it waits for what it streams, at the memory where that
/// comes from or goes; 0 of a cost without parts.
double share_of_streams(const CoreCost& cost) {
  if (cost.streamed.empty() || !cost.evaluation || !cost.evaluation->layer || !cost.evaluation->accelerator)
    return 0;
  const Layer& layer = *cost.evaluation->layer;
  const std::vector<Memory>& memories = cost.evaluation->accelerator->memories;
  double all = 0, streamed = 0;
  for (const LatencyPart& part : cost.evaluation->latency_parts) {
    if (part.cause != "stall" && part.cause != "onloading") continue;
    all += part.cycles;
    for (const int operand : cost.streamed) {
      const auto top = std::find_if(memories.rbegin(), memories.rend(), [&](const Memory& memory) {
        return memory.holds(layer.memory_operand(operand));
      });
      if (part.operand == layer.operands[operand].name && top != memories.rend() &&
          part.memory == top->name)
        streamed += part.cycles;
    }
  }
  return all > 0 ? streamed / all : 0;
}

}  // namespace

std::vector<NodeTime> node_times(const ScheduledNode& node, const CoreCost* cost) {
  std::vector<NodeTime> times;
  double at = node.start;
  const auto spend = [&](TimeUse use, double until) {
    until = std::min(until, node.end);
    if (until <= at) return;
    times.push_back({use, until});
    at = until;
  };
  if (cost != nullptr) {
    const double ideal = cost->evaluation ? cost->evaluation->ideal_temporal_cycle : cost->runtime;
    const double computed = std::min(ideal, cost->runtime);
    spend(TimeUse::computing, node.start + computed);
    const double own = (cost->runtime - computed) * (1 - share_of_streams(*cost));
    spend(TimeUse::stalling,
          own + computed < cost->runtime ? node.start + computed + own : node.start + cost->runtime);
  }
  // A stream that gets less than it can use makes a node longer than its cost as well.
  spend(cost != nullptr ? TimeUse::slow_streams : TimeUse::computing, node.end);
  return times;
}

std::vector<ResourceTime> resource_times(const Schedule& schedule) {
  TimeSheets sheets(schedule);
  std::vector<ResourceTime> times;
  for (const ScheduleResource& resource : used_resources(schedule)) times.push_back(sheets.sheet(resource));
  return times;
}

std::vector<UseCycles> node_uses(const Schedule& schedule) {
  TimeSheets sheets(schedule);
  std::vector<UseCycles> uses(schedule.nodes.size(), UseCycles{});
  for (const ScheduleResource& resource : used_resources(schedule))
    if (!resource.link) sheets.sheet(resource, &uses);
  return uses;
}

}  // namespace zz::core
