#include "core/multicore/explain/critical_chain.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/multicore/explain/detail/schedule_events.hpp"
#include "core/multicore/explain/schedule_labels.hpp"

namespace zz::core {
namespace {

/// A node or a transfer of the schedule.
struct Event {
  bool node = true;
  int position = -1;  ///< in Schedule::nodes or transfers; -1: none
  double start = 0, end = 0;

  explicit operator bool() const { return position >= 0; }
};

class ChainMaker {
 public:
  explicit ChainMaker(const Schedule& schedule)
      : schedule_(schedule),
        graph_(*schedule.graph),
        accelerator_(*schedule.accelerator),
        events_(schedule),
        link_labels_(link_labels(accelerator_)),
        position_of_(graph_.nodes.size(), -1),
        of_core_(accelerator_.cores.size()),
        of_link_(accelerator_.links.size()),
        removals_of_(accelerator_.top_memories.size()),
        seen_node_(schedule.nodes.size(), false),
        seen_transfer_(schedule.transfers.size(), false) {
    for (std::size_t i = 0; i < schedule.nodes.size(); ++i) {
      position_of_[schedule.nodes[i].node] = static_cast<int>(i);
      of_core_[schedule.nodes[i].core].push_back(event(true, static_cast<int>(i)));
    }
    for (std::size_t link = 0; link < of_link_.size(); ++link) {
      for (const int i : events_.activity()[link].transfers) of_link_[link].push_back(event(false, i));
      for (const int i : events_.activity()[link].blocks)
        if (const int node = position_of_[schedule.blocks[i].node]; node >= 0)
          of_link_[link].push_back({true, node, schedule.blocks[i].start, schedule.blocks[i].end});
    }
    for (std::vector<Event>& events : of_core_) sort_by_end(events);
    for (std::vector<Event>& events : of_link_) sort_by_end(events);
    for (std::size_t i = 0; i < schedule.removals.size(); ++i)
      removals_of_[schedule.removals[i].memory].push_back(static_cast<int>(i));
  }

  std::vector<ChainPart> make() {
    at_ = schedule_.latency;
    Event current = last();
    if (!current) add_wait({TimeUse::nothing_left, 0, at_, -1}, {});
    while (current) {
      (current.node ? seen_node_ : seen_transfer_)[current.position] = true;
      if (current.end < at_) add_waits_from(current.end, Event{});
      add_running(current);
      if (at_ <= 0) break;
      const Event before = leading(current);
      const double from = before ? std::min(before.end, at_) : 0;
      if (from < at_) add_waits_from(from, current);
      current = before;
    }
    return std::move(chain_);
  }

 private:
  Event event(bool node, int position) const {
    if (node) return {true, position, schedule_.nodes[position].start, schedule_.nodes[position].end};
    return {false, position, schedule_.transfers[position].start, schedule_.transfers[position].end};
  }

  static void sort_by_end(std::vector<Event>& events) {
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& a, const Event& b) { return a.end < b.end; });
  }

  Event last() const {
    Event latest;
    const auto look = [&](const Event& one) {
      if (!latest || one.end > latest.end) latest = one;
    };
    for (std::size_t i = 0; i < schedule_.nodes.size(); ++i) look(event(true, static_cast<int>(i)));
    for (std::size_t i = 0; i < schedule_.transfers.size(); ++i) look(event(false, static_cast<int>(i)));
    return latest;
  }

  // Parts, from the latest back.

  void add(ChainPart part) {
    part.end = at_;
    if (part.start >= part.end) return;
    at_ = part.start;
    chain_.push_back(std::move(part));
  }

  void add_running(const Event& running) {
    if (!running.node) {
      const Transfer& transfer = schedule_.transfers[running.position];
      add({events_.use_of(transfer), carrier(transfer), false, -1, running.position, running.start, 0});
      return;
    }
    const ScheduledNode& node = schedule_.nodes[running.position];
    const std::vector<NodeTime> times = node_times(node, events_.cost_of(node));
    for (std::size_t i = times.size(); i-- > 0;) {
      const bool slow = times[i].use == TimeUse::slow_streams;
      add({times[i].use, slow ? stream_link(node.core) : core_label(accelerator_, node.core), !slow,
           running.position, -1, i > 0 ? times[i - 1].end : node.start, 0});
    }
  }

  /// The time from `from` up to the start of what waits.
  void add_waits_from(double from, const Event& waiting) {
    std::vector<Wait> waits;
    if (waiting && waiting.node)
      waits = events_.waits_before(schedule_.nodes[waiting.position], from);
    else if (waiting)
      waits = events_.waits_before(schedule_.transfers[waiting.position], from);
    for (std::size_t i = waits.size(); i-- > 0;) add_wait(waits[i], waiting);
    if (at_ > from) add_wait({TimeUse::nothing_left, from, at_, -1}, waiting);
  }

  void add_wait(const Wait& wait, const Event& waiting) {
    ChainPart part;
    part.use = wait.use;
    part.start = wait.from;
    part.transfer = wait.transfer >= 0 || !waiting || waiting.node ? wait.transfer : waiting.position;
    if (waiting && waiting.node) part.node = waiting.position;
    if (wait.use == TimeUse::earlier_nodes) {
      if (part.node >= 0) {
        part.resource = core_label(accelerator_, schedule_.nodes[part.node].core);
        part.core = true;
      }
    } else if (wait.use == TimeUse::memory) {
      part.resource = part.transfer >= 0
                          ? memory_label(accelerator_, schedule_.transfers[part.transfer].receiver_memory)
                          : output_memory(part.node);
    } else if (part.transfer >= 0) {
      part.resource = carrier(schedule_.transfers[part.transfer]);
    } else if (part.node >= 0) {
      part.resource = stream_link(schedule_.nodes[part.node].core);
    }
    add(std::move(part));
  }

  /// The narrowest link of a way; the memory where it ends if there is none.
  std::string carrier(const Transfer& transfer) const {
    int narrowest = -1;
    for (const bool own : {true, false}) {
      for (std::size_t i = 0; i < transfer.links.size(); ++i) {
        const int link = transfer.links[i];
        if (own && transfer.own[i] == 0) continue;
        if (narrowest < 0 || accelerator_.links[link].bandwidth < accelerator_.links[narrowest].bandwidth)
          narrowest = link;
      }
      if (narrowest >= 0) return link_labels_[narrowest];
    }
    return memory_label(accelerator_, transfer.receiver_memory);
  }

  std::string stream_link(int core) const {
    if (!accelerator_.offchip_core) return "";
    int narrowest = -1;
    for (const int link : accelerator_.route(*accelerator_.offchip_core, core))
      if (narrowest < 0 || accelerator_.links[link].bandwidth < accelerator_.links[narrowest].bandwidth)
        narrowest = link;
    return narrowest < 0 ? "" : link_labels_[narrowest];
  }

  int output_memory_of(int position) const {
    if (position < 0) return -1;
    const ScheduledNode& node = schedule_.nodes[position];
    const std::string& operand = graph_.layers[graph_.nodes[node.node].layer].layer->memory_operand(0);
    for (const int memory : accelerator_.cores_tops[node.core]) {
      const std::vector<std::string>& held = accelerator_.top_memories[memory].operands;
      if (std::find(held.begin(), held.end(), operand) != held.end()) return memory;
    }
    return -1;
  }
  std::string output_memory(int position) const {
    const int memory = output_memory_of(position);
    return memory < 0 ? "" : memory_label(accelerator_, memory);
  }

  // Causes, from events that ended now.

  bool is_now(double time) const { return time <= at_ + tolerance() && time >= at_ - tolerance(); }
  double tolerance() const { return 1e-9 * std::max(1.0, at_); }

  bool is_free(const Event& one) const {
    return one.end <= at_ + tolerance() && !(one.node ? seen_node_ : seen_transfer_)[one.position];
  }

  /// The first event that ends now among those of a core or a link.
  Event ending_now(const std::vector<Event>& events) const {
    const auto begin = std::partition_point(events.begin(), events.end(),
                                            [&](const Event& one) { return one.end < at_ - tolerance(); });
    for (auto one = begin; one != events.end() && one->end <= at_ + tolerance(); ++one)
      // A reservation may end before its node does.
      if (const Event whole = event(one->node, one->position); is_free(whole) && is_now(whole.end))
        return whole;
    return {};
  }

  /// The event that a node or transfer had to wait for.
  Event leading(const Event& current) const {
    std::vector<Event> needed = current.node ? needed_by(schedule_.nodes[current.position])
                                             : needed_by(schedule_.transfers[current.position]);
    Event found;
    if (current.node) found = ending_now(of_core_[schedule_.nodes[current.position].core]);
    Event latest;
    for (const Event& one : needed) {
      if (!is_free(one)) continue;
      if (!found && is_now(one.end)) found = one;
      if (!latest || one.end > latest.end) latest = one;
    }
    if (!found) found = holding_back(current);
    if (found) return found;
    if (!current.node) return latest;
    // The core itself was free before, but nothing else leads further.
    const std::vector<Event>& before = of_core_[schedule_.nodes[current.position].core];
    for (auto one = before.rbegin(); one != before.rend(); ++one)
      if (is_free(*one)) return !latest || one->end > latest.end ? *one : latest;
    return latest;
  }

  std::vector<Event> needed_by(const ScheduledNode& node) const {
    std::vector<Event> needed;
    for (int i = graph_.predecessor_begin[node.node]; i < graph_.predecessor_begin[node.node + 1]; ++i)
      if (const int from = position_of_[graph_.dependencies[graph_.predecessors[i]].from]; from >= 0)
        needed.push_back(event(true, from));
    for (const Transfer* transfer : events_.arrivals(node))
      needed.push_back(event(false, static_cast<int>(transfer - schedule_.transfers.data())));
    return needed;
  }

  std::vector<Event> needed_by(const Transfer& transfer) const {
    std::vector<Event> needed;
    for (const int writer : events_.writers(transfer.tensor))
      if (position_of_[writer] >= 0) needed.push_back(event(true, position_of_[writer]));
    for (const int i : events_.transfers_of(transfer.tensor))
      if (schedule_.transfers[i].receiver == transfer.sender) needed.push_back(event(false, i));
    return needed;
  }

  /// An event that was on the links until now, or in the memory.
  Event holding_back(const Event& current) const {
    std::vector<int> links, memories;
    if (current.node) {
      const ScheduledNode& node = schedule_.nodes[current.position];
      memories = accelerator_.cores_tops[node.core];
      if (events_.streams(node) && accelerator_.offchip_core)
        for (const auto& [from, to] : {std::pair(*accelerator_.offchip_core, node.core),
                                       std::pair(node.core, *accelerator_.offchip_core)})
          for (const int link : accelerator_.route(from, to)) links.push_back(link);
    } else {
      links = schedule_.transfers[current.position].links;
      memories.push_back(schedule_.transfers[current.position].receiver_memory);
    }
    for (const int link : links)
      if (const Event found = ending_now(of_link_[link])) return found;
    for (const int memory : memories)
      if (const Event found = making_room(memory)) return found;
    // An eviction begins when the last reader has ended.
    if (!current.node) return ending_now(of_core_[schedule_.transfers[current.position].sender]);
    return {};
  }

  Event making_room(int memory) const {
    for (const int i : removals_of_[memory]) {
      const Removal& removal = schedule_.removals[i];
      if (!is_now(removal.time)) continue;
      for (const int transfer : events_.transfers_of(removal.tensor))
        if (const Event one = event(false, transfer); is_now(one.end) && is_free(one)) return one;
      for (const int core : accelerator_.top_memories[memory].cores)
        if (const Event found = ending_now(of_core_[core])) return found;
    }
    return {};
  }

  const Schedule& schedule_;
  const ComputationNodeGraph& graph_;
  const MultiCoreAccelerator& accelerator_;
  ScheduleEvents events_;
  std::vector<std::string> link_labels_;
  std::vector<int> position_of_;             ///< [node of the graph] -> Schedule::nodes, or -1
  std::vector<std::vector<Event>> of_core_;  ///< by end
  std::vector<std::vector<Event>> of_link_;  ///< by end
  std::vector<std::vector<int>> removals_of_;
  std::vector<bool> seen_node_, seen_transfer_;
  std::vector<ChainPart> chain_;
  double at_ = 0;  ///< the start of the chain so far
};

}  // namespace

std::vector<ChainPart> critical_chain(const Schedule& schedule) { return ChainMaker(schedule).make(); }

std::vector<ChainShare> chain_shares(const std::vector<ChainPart>& chain) {
  std::vector<ChainShare> shares;
  for (const ChainPart& part : chain) {
    const auto known = std::find_if(shares.begin(), shares.end(), [&](const ChainShare& share) {
      return share.resource == part.resource;
    });
    if (known == shares.end())
      shares.push_back({part.resource, part.core, part.cycles()});
    else
      known->cycles += part.cycles();
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const ChainShare& a, const ChainShare& b) { return a.cycles > b.cycles; });
  return shares;
}

ScheduleLimit schedule_limit(const std::vector<ChainShare>& shares) {
  double cores = 0;
  for (const ChainShare& share : shares)
    if (share.core) cores += share.cycles;
  const ChainShare *core = nullptr, *other = nullptr;
  for (const ChainShare& share : shares) {
    const ChainShare*& first = share.core ? core : other;
    if (first == nullptr && !share.resource.empty()) first = &share;
  }
  const double others = other != nullptr ? other->cycles : 0;
  if (core != nullptr && cores >= others)
    return core->cycles > cores / 2 && core->cycles >= others ? ScheduleLimit{core->resource, core->cycles}
                                                              : ScheduleLimit{"cores", cores};
  return other != nullptr ? ScheduleLimit{other->resource, other->cycles} : ScheduleLimit{};
}

}  // namespace zz::core
