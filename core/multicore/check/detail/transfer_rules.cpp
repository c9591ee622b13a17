#include "core/multicore/check/detail/transfer_rules.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace zz::core::check {
namespace {

std::string transfer_name(const Facts& facts, const Transfer& transfer) {
  return fmt::format("the transfer of {} from {} to {} at cycle {}", facts.tensor_name(transfer.tensor),
                     facts.core_name(transfer.sender), facts.core_name(transfer.receiver), transfer.start);
}

void check_source(Facts& facts, const Transfer& transfer, Findings& findings) {
  const PieceTensor& tensor = facts.graph.tensors[transfer.tensor];
  const Copy* nearest = nullptr;
  if (facts.use_copy(transfer.tensor, facts.memories_of(transfer.sender), transfer.start, transfer.end,
                     2 * transfer.nodes_before, nearest)) {
    return;
  }
  const std::vector<int>& constants = facts.graph.layers[tensor.layer].constants;
  const bool constant = std::find(constants.begin(), constants.end(), tensor.operand) != constants.end();
  if (tensor.bits == 0 || (constant && transfer.sender == facts.offchip)) return;
  const std::string name = transfer_name(facts, transfer);
  if (!nearest) {
    findings.add("source missing", name + ": the sender never has it");
  } else if (above(nearest->ready, transfer.start)) {
    findings.add("source missing", fmt::format("{}: the sender has it from {} on", name, nearest->ready));
  } else {
    findings.add("source missing", fmt::format("{} lasts until {}: the sender drops it at {}", name,
                                               transfer.end, nearest->removed));
  }
}

/// The links, one after the other, lead from the sender to the receiver.
bool connects(const MultiCoreAccelerator& accelerator, const Transfer& transfer) {
  if (transfer.links == accelerator.route(transfer.sender, transfer.receiver)) return true;
  std::vector<char> reached(accelerator.cores.size(), 0);
  reached[transfer.sender] = 1;
  for (const int link : transfer.links) {
    std::vector<char> next(reached.size(), 0);
    for (const Connection& connection : accelerator.connections) {
      if (connection.link == link && reached[connection.from]) next[connection.to] = 1;
    }
    reached = std::move(next);
  }
  return reached[transfer.receiver] != 0;
}

void check_route(const Facts& facts, const Transfer& transfer, Findings& findings) {
  const MultiCoreAccelerator& accelerator = facts.accelerator;
  const double bits = static_cast<double>(facts.graph.tensors[transfer.tensor].bits);
  const std::vector<int>& tops = accelerator.cores_tops[transfer.receiver];
  if (std::find(tops.begin(), tops.end(), transfer.receiver_memory) == tops.end()) {
    findings.add("route",
                 fmt::format("{} goes to {}, which is not the receiver's", transfer_name(facts, transfer),
                             facts.memory_name(transfer.receiver_memory)));
  }
  if (!connects(accelerator, transfer)) {
    findings.add("route", fmt::format("{}: links {} do not lead there", transfer_name(facts, transfer),
                                      fmt::join(transfer.links, ", ")));
  }
  if (transfer.start < 0 || transfer.end < transfer.start) {
    findings.add("transfer rate",
                 fmt::format("{} ends at {}", transfer_name(facts, transfer), transfer.end));
  }
  for (const int link : transfer.links) {
    const double bandwidth = accelerator.links[link].bandwidth;
    const double duration = transfer.end - transfer.start;
    if (std::isinf(bandwidth) || !above(bits, duration * bandwidth)) continue;
    findings.add("transfer rate", fmt::format("{} takes {} cycles for {} bits, {} carries {} per cycle",
                                              transfer_name(facts, transfer), duration, bits,
                                              facts.link_name(link), bandwidth));
  }
}

using Passage = std::tuple<int, int, double>;  // link, tensor, start

/// A transfer may share the links of another one of the same tensor at the same time, when that goes to
/// another memory. A tensor that is fetched again has to be sent again.
void check_shared(const Facts& facts, Findings& findings) {
  std::map<Passage, std::vector<const Transfer*>> carried;
  for (const Transfer& transfer : facts.schedule.transfers) {
    for (std::size_t i = 0; i < transfer.links.size(); ++i) {
      if (transfer.own[i])
        carried[{transfer.links[i], transfer.tensor, transfer.start}].push_back(&transfer);
    }
  }
  std::map<std::tuple<int, int, double>, const Transfer*> arrived;  // tensor, memory, start
  for (const Transfer& transfer : facts.schedule.transfers) {
    if (transfer.end <= transfer.start) continue;
    const bool again =
        !arrived.try_emplace({transfer.tensor, transfer.receiver_memory, transfer.start}, &transfer).second;
    for (std::size_t i = 0; i < transfer.links.size(); ++i) {
      const int link = transfer.links[i];
      if (transfer.own[i] || std::isinf(facts.accelerator.links[link].bandwidth)) continue;
      const auto found = carried.find({link, transfer.tensor, transfer.start});
      const auto serves = [&](const Transfer* other) {
        // A link that a route uses twice is occupied once.
        return other == &transfer || (!again && other->receiver_memory != transfer.receiver_memory &&
                                      !above(transfer.end, other->end));
      };
      if (found != carried.end() && std::any_of(found->second.begin(), found->second.end(), serves)) {
        continue;
      }
      findings.add(
          "shared transfer",
          fmt::format("{} does not occupy {}, and {}", transfer_name(facts, transfer),
                      facts.link_name(link),
                      found == carried.end() ? "nothing that passes there carries the tensor"
                                             : "what passes there went to the same memory before"));
      break;
    }
  }
}

struct LinkChange {
  double time = 0;
  double demand = 0;

  bool operator<(const LinkChange& other) const {
    return std::tie(time, demand) < std::tie(other.time, other.demand);  // what ends, ends first
  }
};

using Activity = std::vector<std::vector<LinkChange>>;  // by link

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
    std::vector<LinkChange>& changes = activity[link];
    std::sort(changes.begin(), changes.end());
    double use = 0;
    bool over = false;
    for (const LinkChange& change : changes) {
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

void check_transfers(Facts& facts, Findings& findings) {
  for (const Transfer& transfer : facts.schedule.transfers) {
    check_source(facts, transfer, findings);
    check_route(facts, transfer, findings);
  }
  check_shared(facts, findings);
}

void check_links(const Facts& facts, Findings& findings) {
  check_activity(facts, findings);
  check_streaming(facts, findings);
}

}  // namespace zz::core::check
