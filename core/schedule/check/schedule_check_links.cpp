#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "core/schedule/check/schedule_check_facts.hpp"

namespace zz::core::check {
namespace {

struct Change {
  double time = 0;
  double demand = 0;

  bool operator<(const Change& other) const {
    return std::tie(time, demand) < std::tie(other.time, other.demand);  // what ends, ends first
  }
};

using Activity = std::vector<std::vector<Change>>;  // by link

void occupy(Activity& activity, int link, double start, double end, double demand) {
  if (end <= start || demand <= 0) return;
  activity[link].push_back({start, demand});
  activity[link].push_back({end, -demand});
}

Activity collect_activity(const Facts& facts) {
  const MultiCoreAccelerator& accelerator = facts.accelerator;
  Activity activity(accelerator.links.size());
  for (const Transfer& transfer : facts.schedule.transfers) {
    for (std::size_t i = 0; i < transfer.links.size(); ++i) {
      if (!transfer.own[i]) continue;
      const double bits = static_cast<double>(facts.graph.tensors[transfer.tensor].bits);
      occupy(activity, transfer.links[i], transfer.start, transfer.end,
             bits / (transfer.end - transfer.start));
    }
  }
  for (const StreamBlock& block : facts.schedule.blocks) {
    if (facts.offchip < 0) break;
    std::map<int, double> demands;  // of links used both ways: the sum
    const auto output = std::find(block.operands.begin(), block.operands.end(), 0);
    if (output != block.operands.end()) {
      for (const int link : accelerator.route(block.core, facts.offchip))
        demands[link] += block.write_demand;
    }
    if (block.operands.size() > (output != block.operands.end() ? 1u : 0u)) {
      for (const int link : accelerator.route(facts.offchip, block.core))
        demands[link] += block.read_demand;
    }
    for (const auto& entry : demands) occupy(activity, entry.first, block.start, block.end, entry.second);
  }
  return activity;
}

void check_activity(const Facts& facts, Findings& findings) {
  Activity activity = collect_activity(facts);
  for (std::size_t link = 0; link < activity.size(); ++link) {
    const double bandwidth = facts.accelerator.links[link].bandwidth;
    if (std::isinf(bandwidth)) continue;
    std::vector<Change>& changes = activity[link];
    std::sort(changes.begin(), changes.end());
    double use = 0;
    bool over = false;
    for (const Change& change : changes) {
      use += change.demand;
      const bool now = above(use, bandwidth);
      if (now && !over) {
        findings.add("link",
                     fmt::format("{} carries {} bits per cycle from cycle {} on, of at most {}",
                                 facts.link_name(static_cast<int>(link)), use, change.time, bandwidth));
      }
      over = now;
    }
  }
}

void check_streaming(const Facts& facts, Findings& findings) {
  std::vector<std::vector<const StreamBlock*>> blocks_of(facts.graph.nodes.size());
  for (const StreamBlock& block : facts.schedule.blocks) blocks_of[block.node].push_back(&block);
  for (const ScheduledNode& entry : facts.schedule.nodes) {
    const CoreCost& cost = *facts.cost_of[entry.node];
    if (cost.stream_read_bits <= 0 && cost.stream_write_bits <= 0) continue;
    const std::vector<const StreamBlock*>& blocks = blocks_of[entry.node];
    const std::string name = facts.node_name(entry.node);
    if (blocks.empty()) {
      findings.add("streaming",
                   fmt::format("{} streams {} bits from and {} to the off-chip memory, for which "
                               "no link is reserved",
                               name, cost.stream_read_bits, cost.stream_write_bits));
      continue;
    }
    // What a node cannot use at a time, it does not keep for later.
    const auto usable = [&](double demand, double bits) {
      return cost.runtime > 0 ? std::min(demand, std::ceil(bits / cost.runtime)) : demand;
    };
    double read = 0, written = 0, last_end = entry.start;
    for (const StreamBlock* block : blocks) {
      if (block->core != entry.core || above(last_end, block->start) || above(block->end, entry.end)) {
        findings.add("streaming",
                     fmt::format("{} runs from cycle {} to {} on {}, its links are reserved from {} "
                                 "to {} for core {}",
                                 name, entry.start, entry.end, facts.core_name(entry.core), block->start,
                                 block->end, block->core));
        continue;
      }
      const double cycles = block->end - block->start;
      read += usable(block->read_demand, cost.stream_read_bits) * cycles;
      written += usable(block->write_demand, cost.stream_write_bits) * cycles;
      last_end = block->end;
    }
    if (above(cost.stream_read_bits, read) || above(cost.stream_write_bits, written)) {
      findings.add("streaming",
                   fmt::format("{} streams {} bits in and {} out from cycle {} to {}; its links are "
                               "reserved for {} and {}",
                               name, cost.stream_read_bits, cost.stream_write_bits, entry.start, entry.end,
                               read, written));
    }
  }
}

}  // namespace

void check_links(const Facts& facts, Findings& findings) {
  check_activity(facts, findings);
  check_streaming(facts, findings);
}

}  // namespace zz::core::check
