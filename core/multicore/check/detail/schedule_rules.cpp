#include "core/multicore/check/detail/schedule_rules.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <utility>

#include "core/multicore/graph/samples.hpp"

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

/// A constant that a node in lockstep with others fetches, and that they read, too, is there for all of
/// them that are still to come when it has arrived.
void check_lockstep(Facts& facts, const Transfer& transfer, Findings& findings) {
  if (transfer.nodes_before >= static_cast<int>(facts.schedule.nodes.size())) return;
  const int node = facts.schedule.nodes[transfer.nodes_before].node;
  const ComputationNode& entry = facts.graph.nodes[node];
  const CutLayer& cut_layer = facts.graph.layers[entry.layer];
  const auto operand_of = [&](int reader) {
    for (const int operand : cut_layer.constants)
      if (facts.graph.nodes[reader].tensors[operand] == transfer.tensor) return operand;
    return -1;
  };
  const int operand = operand_of(node);
  if (operand < 0 || transfer.receiver != facts.placement(node).core) return;
  int stride = 1;
  for (const NodeLoop& outer : cut_layer.outer_loops) {
    const int count = static_cast<int>(outer.count), own = entry.sub_id / stride % count;
    for (int other = 0; outer.lockstep && other < count; ++other) {
      const int member = node + (other - own) * stride;
      if (member == node || operand_of(member) != operand || facts.streams(member, operand) ||
          facts.placement_of[member] < transfer.nodes_before)
        continue;
      const int memory = facts.memory_for(facts.placement(member).core, entry.layer, operand);
      const std::vector<Copy>& copies = facts.copies[transfer.tensor];
      const bool there = std::any_of(copies.begin(), copies.end(), [&](const Copy& copy) {
        return copy.memory == memory && !above(copy.ready, transfer.end) &&
               !above(transfer.end, copy.removed);
      });
      if (there) continue;
      findings.add("lockstep", fmt::format("{} does not go to {}, which is in lockstep with {}",
                                           transfer_name(facts, transfer), facts.node_name(member),
                                           facts.node_name(node)));
    }
    stride *= count;
  }
}

using Passage = std::tuple<int, int, double>;  // link, tensor, start

/// A transfer may share the links of another one of the same tensor at the same time, when that goes to
/// another memory. A tensor that is fetched again has to be sent again.
void check_shared(const Facts& facts, const std::vector<Transfer>& transfers, Findings& findings) {
  std::map<Passage, std::vector<const Transfer*>> carried;
  for (const Transfer& transfer : transfers) {
    for (std::size_t i = 0; i < transfer.links.size(); ++i) {
      if (transfer.own[i])
        carried[{transfer.links[i], transfer.tensor, transfer.start}].push_back(&transfer);
    }
  }
  std::map<std::tuple<int, int, double>, const Transfer*> arrived;  // tensor, memory, start
  for (const Transfer& transfer : transfers) {
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
    return std::tie(time, demand) < std::tie(other.time, other.demand);  // ends come first
  }
};

using Activity = std::vector<std::vector<LinkChange>>;  // by link

void occupy(Activity& activity, int link, double start, double end, double demand) {
  if (end <= start || demand <= 0) return;
  activity[link].push_back({start, demand});
  activity[link].push_back({end, -demand});
}

/// Adds transfers, which begin so much later than they say.
void add_transfers(const Facts& facts, const std::vector<Transfer>& transfers, double later,
                   Activity& activity) {
  for (const Transfer& transfer : transfers) {
    for (std::size_t i = 0; i < transfer.links.size(); ++i) {
      if (!transfer.own[i]) continue;
      const double bits = static_cast<double>(facts.graph.tensors[transfer.tensor].bits);
      occupy(activity, transfer.links[i], later + transfer.start, later + transfer.end,
             bits / (transfer.end - transfer.start));
    }
  }
}

void add_streams(const Facts& facts, double later, Activity& activity) {
  const MultiCoreAccelerator& accelerator = facts.accelerator;
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
    for (const auto& entry : demands)
      occupy(activity, entry.first, later + block.start, later + block.end, entry.second);
  }
}

void check_activity(const Facts& facts, Activity activity, const std::string& when, Findings& findings) {
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
        findings.add("link", fmt::format("{} carries {} bits per cycle from cycle {} on, of at most {}{}",
                                         facts.link_name(static_cast<int>(link)), use, change.time,
                                         bandwidth, when));
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
    // A node keeps nothing for later that it cannot use at once.
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
    check_lockstep(facts, transfer, findings);
  }
  check_shared(facts, facts.schedule.transfers, findings);
}

void check_fill(const Facts& facts, Findings& findings) {
  std::map<std::pair<int, int>, double> arrived;  // tensor, memory
  for (const Transfer& transfer : facts.schedule.fill) {
    const PieceTensor& tensor = facts.graph.tensors[transfer.tensor];
    check_route(facts, transfer, findings);
    if (tensor.operand == 0 || !shared_by_samples(*facts.graph.layers[tensor.layer].layer, tensor.operand))
      findings.add("entry", fmt::format("{} comes before the first repeat, and is no constant",
                                        transfer_name(facts, transfer)));
    const bool sent = transfer.sender == facts.offchip ||
                      std::any_of(arrived.begin(), arrived.end(), [&](const auto& copy) {
                        const std::vector<int>& tops = facts.accelerator.cores_tops[transfer.sender];
                        return copy.first.first == transfer.tensor && !above(copy.second, transfer.start) &&
                               std::find(tops.begin(), tops.end(), copy.first.second) != tops.end();
                      });
    if (!sent)
      findings.add("source missing", fmt::format("{}, before the first repeat: the sender does not have it",
                                                 transfer_name(facts, transfer)));
    arrived.emplace(std::pair(transfer.tensor, transfer.receiver_memory), transfer.end);
  }
  check_shared(facts, facts.schedule.fill, findings);
  Activity activity(facts.accelerator.links.size());
  add_transfers(facts, facts.schedule.fill, 0, activity);
  check_activity(facts, std::move(activity), ", before the first repeat", findings);
}

void check_links(const Facts& facts, Findings& findings) {
  Activity activity(facts.accelerator.links.size());
  for (int repeat = 0; repeat < facts.repeats; ++repeat) {
    add_transfers(facts, facts.schedule.transfers, facts.begin_of(repeat), activity);
    add_streams(facts, facts.begin_of(repeat), activity);
  }
  check_activity(facts, std::move(activity), facts.of_repeats(), findings);
  check_streaming(facts, findings);
}

namespace {

struct Stay {
  double start = 0, end = 0;
  int tensor = 0;
};

struct MemoryChange {
  double time = 0;
  std::int64_t bits = 0;
  int tensor = 0;

  bool operator<(const MemoryChange& other) const {
    return std::tie(time, bits, tensor) < std::tie(other.time, other.bits, other.tensor);
  }
};

void check_removals(const Facts& facts, Findings& findings) {
  for (const Removal* removal : facts.groundless) {
    // Data that are written back leave with the transfer; a streamed result never was there.
    if (removal->written_back || removal->cause == RemovalCause::final_output) continue;
    findings.add("removal", fmt::format("{} is removed from {} at cycle {}, where it is not",
                                        facts.tensor_name(removal->tensor),
                                        facts.memory_name(removal->memory), removal->time));
  }
  const Removal* reported = nullptr;
  for (std::size_t tensor = 0; tensor < facts.copies.size(); ++tensor) {
    for (const Copy& copy : facts.copies[tensor]) {
      if (!copy.removal || copy.removal == reported) continue;
      const std::string what =
          fmt::format("{} is removed from {} at cycle {}", facts.tensor_name(static_cast<int>(tensor)),
                      facts.memory_name(copy.memory), copy.removed);
      if (copy.for_all_repeats) {
        findings.add("removal", what + ", where it stays for the next repeats");
        reported = copy.removal;
      }
      if (above(copy.ready, copy.removed)) {
        findings.add("removal", fmt::format("{}, before it is there at {}", what, copy.ready));
        reported = copy.removal;
      }
      if (copy.removal->written_back && above(copy.removal->write_back_end, copy.removed)) {
        findings.add("write-back", fmt::format("{}, before it is written back at {}", what,
                                               copy.removal->write_back_end));
        reported = copy.removal;
      }
    }
  }
}

/// Stays of one tensor in one memory that overlap are one. In the steady state what is left ends with the
/// repeat, but for what all repeats share.
std::vector<std::vector<Stay>> stays_by_memory(const Facts& facts) {
  std::vector<std::vector<Stay>> stays(facts.accelerator.top_memories.size());
  for (std::size_t tensor = 0; tensor < facts.copies.size(); ++tensor) {
    std::vector<Copy> copies = facts.copies[tensor];
    std::sort(copies.begin(), copies.end(), [](const Copy& a, const Copy& b) {
      return std::tie(a.memory, a.start) < std::tie(b.memory, b.start);
    });
    int last_memory = -1;
    for (const Copy& copy : copies) {
      double end = std::max(copy.removed, copy.used_until);
      if (facts.schedule.period > 0 && !copy.for_all_repeats) end = std::min(end, facts.schedule.latency);
      if (copy.removal && copy.removal->written_back) end = std::max(end, copy.removal->write_back_end);
      std::vector<Stay>& list = stays[copy.memory];
      if (copy.memory == last_memory && copy.start <= list.back().end) {
        list.back().end = std::max(list.back().end, end);
      } else {
        list.push_back({copy.start, end, static_cast<int>(tensor)});
      }
      last_memory = copy.memory;
    }
  }
  return stays;
}

void check_capacity(const Facts& facts, Findings& findings) {
  const std::vector<std::vector<Stay>> stays = stays_by_memory(facts);
  for (std::size_t memory = 0; memory < stays.size(); ++memory) {
    std::vector<MemoryChange> changes;
    for (const Stay& stay : stays[memory]) {
      const std::int64_t bits = facts.graph.tensors[stay.tensor].bits;
      const int times = stay.end < never ? facts.repeats : 1;
      for (int repeat = 0; repeat < times; ++repeat) {
        changes.push_back({facts.begin_of(repeat) + stay.start, bits, stay.tensor});
        if (stay.end < never) changes.push_back({facts.begin_of(repeat) + stay.end, -bits, stay.tensor});
      }
    }
    std::sort(changes.begin(), changes.end());
    const std::int64_t size = facts.accelerator.top_memories[memory].size;
    std::int64_t use = 0;
    bool over = false;
    for (const MemoryChange& change : changes) {
      use += change.bits;
      if (use > size && !over) {
        findings.add("memory",
                     fmt::format("{} of {} bits holds {} from cycle {} on, when {} comes in{}",
                                 facts.memory_name(static_cast<int>(memory)), size, use, change.time,
                                 facts.tensor_name(change.tensor), facts.of_repeats()));
      }
      over = use > size;
    }
  }
}

/// The step functions that the schedule states follow from its lists.
void check_traces(const Facts& facts, Findings& findings) {
  if (facts.schedule.memory.empty()) return;
  std::vector<std::vector<MemoryChange>> changes(facts.accelerator.top_memories.size());
  for (std::size_t tensor = 0; tensor < facts.copies.size(); ++tensor) {
    const std::int64_t bits = facts.graph.tensors[tensor].bits;
    const Copy* before = nullptr;
    for (const Copy& copy : facts.copies[tensor]) {
      // A second arrival of the same data takes no space.
      const bool held = before && before->memory == copy.memory && before->removal == copy.removal;
      before = &copy;
      if (held || bits == 0) continue;
      changes[copy.memory].push_back({copy.start, bits, static_cast<int>(tensor)});
      if (copy.removed < never)
        changes[copy.memory].push_back({copy.removed, -bits, static_cast<int>(tensor)});
    }
  }
  for (const MemoryTrace& trace : facts.schedule.memory) {
    if (trace.memory < 0 || static_cast<std::size_t>(trace.memory) >= changes.size()) {
      findings.add("entry", fmt::format("a trace names memory {}, which does not exist", trace.memory));
      continue;
    }
    std::vector<MemoryChange>& list = changes[trace.memory];
    std::sort(list.begin(), list.end());
    std::size_t next = 0;
    std::int64_t use = 0, peak = 0;
    const auto stated_otherwise = [&](double time, std::int64_t stated) {
      findings.add("memory trace", fmt::format("{} holds {} bits from cycle {} on, the trace says {}",
                                               facts.memory_name(trace.memory), use, time, stated));
    };
    std::int64_t stated = 0;
    bool wrong = false;
    const auto advance = [&](double until, bool inclusive) {
      while (next < list.size() && (list[next].time < until || (inclusive && list[next].time == until))) {
        const double time = list[next].time;
        while (next < list.size() && list[next].time == time) use += list[next++].bits;
        if (time < until && use != stated && !wrong) {
          stated_otherwise(time, stated);
          wrong = true;
        }
      }
    };
    for (const auto& step : trace.bits) {
      advance(step.first, true);
      stated = step.second;
      peak = std::max(peak, stated);
      if (use != stated && !wrong) {
        stated_otherwise(step.first, stated);
        wrong = true;
      }
    }
    advance(never, false);
    if (!wrong && (trace.peak != peak || trace.last != stated)) {
      findings.add("memory trace",
                   fmt::format("{} peaks at {} and ends with {} bits, stated are {} and {}",
                               facts.memory_name(trace.memory), peak, stated, trace.peak, trace.last));
    }
  }
}

}  // namespace

void check_memories(const Facts& facts, Findings& findings) {
  check_removals(facts, findings);
  check_capacity(facts, findings);
  check_traces(facts, findings);
}

}  // namespace zz::core::check
