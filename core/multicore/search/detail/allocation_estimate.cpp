#include "core/multicore/search/detail/allocation_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/interruption.hpp"

namespace zz::core {
namespace {

/// So little of a slice is left by rounding and counts as nothing.
constexpr double negligible = 1e-6;

/// Slices of the time that the nodes would take one after the other.
constexpr double slices_of_work = 1024;
/// ... and, where links need far longer than cores, of the time that all tensors would take over the
/// slowest one: so that there is a limit.
constexpr double slices_of_moving = 65536;

}  // namespace

void CoarseLink::reset(double slice, double bandwidth) {
  slice_ = slice;
  bandwidth_ = bandwidth;
  left_.clear();
  after_.clear();
}

std::size_t CoarseLink::open(std::size_t slice) {
  for (;;) {
    while (after_.size() <= slice) {
      left_.push_back(slice_ * bandwidth_);
      after_.push_back(after_.size());
    }
    if (after_[slice] == slice) return slice;
    // Path compression: the next search is shorter.
    const std::size_t next = after_[slice];
    if (next < after_.size()) after_[slice] = after_[next];
    slice = next;
  }
}

double CoarseLink::send(double time, double bits, double rate) {
  if (bits <= 0 || std::isinf(bandwidth_)) return time;
  std::size_t slice = open(static_cast<std::size_t>(time / slice_));
  for (;;) {
    const double begin = static_cast<double>(slice) * slice_;
    time = std::max(time, begin);
    const double most = std::min(left_[slice], rate * (begin + slice_ - time));
    const double part = std::min(bits, std::max(most, 0.0));
    left_[slice] -= part;
    if (left_[slice] <= negligible * slice_ * bandwidth_) after_[slice] = slice + 1;
    bits -= part;
    if (bits <= 0) return time + part / rate;
    slice = open(slice + 1);
  }
}

AllocationEstimate::AllocationEstimate(std::shared_ptr<const ScheduleProblem> problem)
    : problem_(std::move(problem)), tables_(problem_->tables()), uses_(tables_) {
  double work = 0;
  for (int node = 0; node < tables_.node_count; ++node) {
    double fastest = std::numeric_limits<double>::infinity();
    for (int core = 0; core < tables_.core_count; ++core) {
      const NodeCost& cost = tables_.node_cost(node, core);
      if (cost.cost) fastest = std::min(fastest, cost.runtime);
    }
    if (std::isfinite(fastest)) work += fastest;
  }
  double slowest = std::numeric_limits<double>::infinity(), moving = 0;
  for (const Link& link : tables_.accelerator->links) slowest = std::min(slowest, link.bandwidth);
  for (const double bits : tables_.tensor_bits) moving += bits / slowest;
  slice_ = std::max({1.0, work / slices_of_work, moving / slices_of_moving});
  group_core_.resize(tables_.groups.size());
  links_.resize(tables_.accelerator->links.size());
}

void AllocationEstimate::reset(const std::vector<int>& cores) {
  for (std::size_t group = 0; group < group_core_.size(); ++group) {
    const NodeGroup& entry = tables_.groups[group];
    group_core_[group] = entry.gene < 0 ? entry.core : cores[entry.gene];
  }
  uses_.reset(group_core_);
  copies_.reset(tables_.tensor_count, tables_.memory_count);
  memories_.assign(tables_.memory_count, {});
  for (std::size_t link = 0; link < links_.size(); ++link) {
    links_[link].reset(slice_, tables_.accelerator->links[link].bandwidth);
  }
  ready_.assign(tables_.node_count, 0);
  idle_.assign(tables_.core_count, 0);
  sending_.assign(tables_.tensor_count, {});
  kept_.assign(tables_.tensor_count, -1);
  node_ = -1;
  now_ = energy_ = end_ = 0;
}

ScheduleFigures AllocationEstimate::estimate(const std::vector<int>& cores) {
  reset(cores);
  for (const int tensor : tables_.initial)
    add(tensor, tables_.top(tables_.offchip_core, tables_.tensor_operand[tensor]), 0);
  for (const ScheduleProblem::Tables::Prefetch& entry : tables_.prefetches) {
    const int core = group_core_[tables_.group_of[entry.node]];
    if (!tables_.node_cost(entry.node, core).streams(entry.what.operand))
      fetch(entry.what.tensor, core, entry.what.memory_operand);
  }
  for (const int node : tables_.default_sequence) schedule_node(node);
  return {true, end_, energy_};
}

void AllocationEstimate::schedule_node(int node) {
  end_if_interrupted();
  const int core = group_core_[tables_.group_of[node]];
  const NodeCost& cost = tables_.node_cost(node, core);
  node_ = node;
  now_ = std::max(idle_[core], ready_[node]);
  for (const NeededTensor& need : tables_.needs[node]) {
    if (!cost.streams(need.operand)) kept_[need.tensor] = node;
  }
  if (cost.streamed) clear_for_streams(core, cost);
  double start = now_;
  for (const NeededTensor& need : tables_.needs[node]) {
    if (!cost.streams(need.operand)) {
      start = std::max(start, fetch(need.tensor, core, need.memory_operand));
    } else if (!tables_.options.rules.streamed_inputs_anywhere) {
      start = std::max(start, fetch(need.tensor, tables_.offchip_core, need.memory_operand));
    }
  }
  const int output = tables_.output_of[node];
  const int holder = cost.streams(0) ? tables_.offchip_core : core;
  const int memory = tables_.top(holder, tables_.tensor_operand[output]);
  const double end = stream(core, cost, start);
  if (memory >= 0) produce(output, holder, memory, end);
  now_ = end;
  idle_[core] = std::max(idle_[core], end);
  end_ = std::max(end_, end);
  energy_ += cost.onchip_energy + cost.offchip_energy;
  count_uses(node, cost);
  if (tables_.writes_result[node] && memory >= 0 && !is_offchip(memory)) {
    const int copy = copies_.find(output, memory);
    send(output, memory, end, tables_.offchip_core,
         tables_.top(tables_.offchip_core, tables_.tensor_operand[output]));
    if (tables_.options.rules.final_outputs_leave_at_once || uses_.total(output) == 0) drop(copy);
  }
  for (const int successor : tables_.successors[node]) ready_[successor] = std::max(ready_[successor], end);
}

/// A node that streams has the memories of the streamed operands for itself.
void AllocationEstimate::clear_for_streams(int core, const NodeCost& cost) {
  for (const int memory_operand : cost.streamed_memory_operands) {
    const int memory = tables_.top(core, memory_operand);
    if (memory < 0) continue;
    for (int copy = copies_.first_in(memory); copy >= 0;) {
      const int next = copies_[copy].after;
      if (kept_[copies_[copy].tensor] != node_) evict(copy);
      copy = next;
    }
  }
}

/// Brings a tensor from wherever it has been longest. Returns when it is there.
double AllocationEstimate::fetch(int tensor, int core, int memory_operand) {
  const int memory = tables_.top(core, memory_operand);
  if (memory < 0) return 0;
  if (const int there = copies_.find(tensor, memory); there >= 0) return copies_[there].available_from;
  int source = -1;
  for (int copy = copies_.first_of(tensor); copy >= 0; copy = copies_[copy].next_of_tensor) {
    const auto key = [&](int i) { return std::pair(copies_[i].available_from, copies_[i].memory); };
    if (source < 0 || key(copy) < key(source)) source = copy;
  }
  if (source < 0) return 0;
  const double bits = tables_.tensor_bits[tensor];
  double time = copies_[source].available_from;
  if (!is_offchip(memory)) {
    const bool full = memories_[memory].used + bits > tables_.memories[memory].size;
    time = std::max(time, full ? memories_[memory].changed : memories_[memory].full_until);
    if (full) make_space(memory, bits);
  }
  const int sender = copies_[source].memory;
  const double end = send(tensor, sender, time, core, memory);
  add(tensor, memory, end);
  if (is_offchip(sender)) return end;
  const int uses = uses_.find(tensor, sender);
  if (uses < 0 || uses_.at(uses) == 0) drop(source);
  return end;
}

/// End of a node that starts at `time`. By Stream's rules other transfers do not use a link on which
/// somebody streams at all.
double AllocationEstimate::stream(int core, const NodeCost& cost, double time) {
  double end = time + cost.runtime;
  const auto pass = [&](const CoreRoute& route, double demand) {
    if (demand <= 0) return;
    for (const int link : route.distinct) {
      const double rate = tables_.options.rules.whole_elements_streamed
                              ? tables_.accelerator->links[link].bandwidth
                              : demand;
      end = std::max(end, links_[link].send(time, rate * cost.runtime, rate));
    }
  };
  if (cost.streamed & ~1u) pass(tables_.route(tables_.offchip_core, core), cost.read_demand);
  if (cost.streams(0)) pass(tables_.route(core, tables_.offchip_core), cost.write_demand);
  return end;
}

void AllocationEstimate::produce(int tensor, int core, int memory, double end) {
  if (copies_.first_of(tensor) < 0) {
    make_space(memory, tables_.tensor_bits[tensor]);
    add(tensor, memory, end);
    return;
  }
  // Others have added to it before.
  fetch(tensor, core, tables_.tensor_operand[tensor]);
  if (const int copy = copies_.find(tensor, memory); copy >= 0) copies_[copy].available_from = end;
}

bool AllocationEstimate::counts(const NeededTensor& need, const NodeCost& cost) const {
  return !tables_.options.rules.streamed_inputs_anywhere || !cost.streams(need.operand);
}

void AllocationEstimate::count_uses(int node, const NodeCost& cost) {
  for (const NeededTensor& need : tables_.needs[node]) {
    if (counts(need, cost)) uses_.use(need.tensor, need.reader);
  }
  for (const NeededTensor& need : tables_.needs[node]) {
    if (!counts(need, cost) || uses_.total(need.tensor) > 0) continue;
    for (int copy = copies_.first_of(need.tensor); copy >= 0;) {
      const int next = copies_[copy].next_of_tensor;
      drop(copy);
      copy = next;
    }
  }
}

/// The least important leave, as in a schedule: those with the fewest bits still to be read.
void AllocationEstimate::make_space(int memory, double bits) {
  double missing = memories_[memory].used + bits - tables_.memories[memory].size;
  if (is_offchip(memory) || missing <= 0) return;
  victims_.clear();
  for (int copy = copies_.first_in(memory); copy >= 0; copy = copies_[copy].after) {
    const TensorCopy& entry = copies_[copy];
    if (kept_[entry.tensor] == node_) continue;
    const auto uses =
        static_cast<double>(entry.priority >= 0 ? uses_.at(entry.priority) : uses_.total(entry.tensor));
    const double size = tables_.tensor_bits[entry.tensor];
    victims_.push_back({uses * size, size, copy});
  }
  std::stable_sort(victims_.begin(), victims_.end(), [](const Victim& a, const Victim& b) {
    return a.importance != b.importance ? a.importance < b.importance : a.bits < b.bits;
  });
  for (const Victim& victim : victims_) {
    if (missing <= 0) return;
    missing -= victim.bits;
    evict(victim.copy);
  }
}

void AllocationEstimate::evict(int copy) {
  const int tensor = copies_[copy].tensor;
  const int offchip = tables_.top(tables_.offchip_core, tables_.tensor_operand[tensor]);
  const bool wanted = uses_.total(tensor) > 0 || tables_.is_result[tensor];
  if (wanted && copies_.find(tensor, offchip) < 0) {
    add(tensor, offchip, send(tensor, copies_[copy].memory, now_, tables_.offchip_core, offchip));
  }
  drop(copy);
}

/// Pays for a transfer that may begin at `time`; returns its end. Who sends the same to several receivers
/// fills its links once.
double AllocationEstimate::send(int tensor, int from_memory, double time, int to_core, int to_memory) {
  const int sender = tables_.memories[from_memory].owner;
  const double bits = tables_.tensor_bits[tensor];
  const CoreRoute& route = tables_.route(sender, to_core);
  const bool moves = !route.links.empty() && !std::isinf(route.narrowest);
  const double duration = moves ? std::ceil(bits / route.narrowest) : 0;
  double end = time + duration;
  if (duration > 0) {
    Sending& latest = sending_[tensor];
    if (latest.sender == sender && latest.end >= end) {
      end = latest.end;
    } else {
      for (const int link : route.distinct) {
        end = std::max(end, links_[link].send(time, bits, route.narrowest));
      }
      latest = {sender, end};
    }
    for (const int link : route.links) energy_ += duration * tables_.accelerator->links[link].unit_energy;
  }
  const MemoryEntry &from = tables_.memories[from_memory], &into = tables_.memories[to_memory];
  energy_ += from.read_cost * std::ceil(bits / from.read_bandwidth) +
             into.write_cost * std::ceil(bits / into.write_bandwidth);
  end_ = std::max(end_, end);
  return end;
}

void AllocationEstimate::add(int tensor, int memory, double available) {
  if (copies_.find(tensor, memory) >= 0) return;
  TensorCopy copy;
  copy.tensor = tensor;
  copy.memory = memory;
  copy.priority = uses_.find(tensor, memory);
  copy.available_from = available;
  copies_.add(copy);
  if (is_offchip(memory)) return;
  memories_[memory].used += tables_.tensor_bits[tensor];
  memories_[memory].changed = std::max(memories_[memory].changed, available);
}

void AllocationEstimate::drop(int copy) {
  const int tensor = copies_[copy].tensor, memory = copies_[copy].memory;
  copies_.remove(copy);
  if (is_offchip(memory)) return;
  MemoryState& state = memories_[memory];
  const double bits = tables_.tensor_bits[tensor];
  if (state.used + bits > tables_.memories[memory].size)
    state.full_until = std::max(state.full_until, now_);
  state.changed = std::max(state.changed, now_);
  state.used -= bits;
}

}  // namespace zz::core
