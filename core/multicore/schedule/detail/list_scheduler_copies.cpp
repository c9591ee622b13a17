#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "core/multicore/schedule/detail/list_scheduler.hpp"

// From which copy a tensor comes, which other cores take it on the way, and where evicted ones wait.

namespace zz::core {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Part of a memory that evicted tensors of other cores leave free: what it needs next should not have to
/// wait for them. Tried were the half and nothing; a batch of ResNet-50 took longer when nothing was left.
constexpr double left_free = 0.5;

}  // namespace

/// Brings a tensor from the best copy. Returns when it is there.
double ListScheduler::fetch(const Destination& to, EnergyTerm purpose) {
  if (to.memory < 0) {
    state_.failure.memory_operand = to.memory_operand;
    state_.failure.core = to.core;
    fail(Kind::no_memory, to.tensor, -1);
    return 0;
  }
  if (const int there = state_.copies.find(to.tensor, to.memory); there >= 0) {
    return rules_.starts_before_arrival ? 0 : state_.copies[there].available_from;
  }
  const int source = rules_.repeated_transfers_free ? available_first(to.tensor) : best_source(to);
  if (source < 0) {
    state_.failure.core = to.core;
    fail(Kind::nobody_has_it, to.tensor, to.memory);
    return 0;
  }
  return transfer(to, source, -never, purpose);
}

/// A constant of nodes in lockstep comes to all of their cores in one transfer, for which each of them
/// makes room. Anything else comes to the core of the node.
double ListScheduler::fetch_for(int node, const NeededTensor& need, const Destination& to) {
  const ScheduleProblem::Tables::Lockstep& lockstep = tables_.lockstep[tables_.layer_of[node]];
  if (rules_.repeated_transfers_free || lockstep.count == 1 || tables_.is_output[need.tensor] ||
      to.memory < 0 || state_.copies.find(need.tensor, to.memory) >= 0)
    return fetch(to);
  state_.receivers.assign(1, to.memory);
  state_.members.assign(1, node);
  const int first = node - tables_.place_in_lockstep(node) * lockstep.stride;
  for (int member = first; member < first + lockstep.count * lockstep.stride; member += lockstep.stride) {
    const int core = state_.group_core[tables_.group_of[member]];
    const int memory = tables_.top(core, need.memory_operand);
    if (state_.node_end[member] >= 0 || memory < 0 || is_offchip(memory) || receives(memory) ||
        tables_.graph->nodes[member].tensors[need.operand] != need.tensor ||
        tables_.node_cost(member, core).streams(need.operand) ||
        state_.copies.find(need.tensor, memory) >= 0)
      continue;
    state_.receivers.push_back(memory);
    state_.members.push_back(member);
  }
  const int source = state_.members.size() > 1 ? best_source(to) : -1;
  const double end = source < 0 ? fetch(to) : send_in_lockstep(need, source);
  state_.receivers.clear();
  return end;
}

bool ListScheduler::receives(int memory) const {
  return std::find(state_.receivers.begin(), state_.receivers.end(), memory) != state_.receivers.end();
}

double ListScheduler::send_in_lockstep(const NeededTensor& need, int source) {
  const double bits = tables_.tensor_bits[need.tensor];
  const int source_memory = state_.copies[source].memory, sender = tables_.memories[source_memory].owner;
  const auto place_of = [&](std::size_t i) {
    const int core = state_.group_core[tables_.group_of[state_.members[i]]];
    return Destination{need.tensor, core, need.memory_operand, state_.receivers[i]};
  };
  CoreRoute& tree = state_.tree;
  tree.distinct.clear();
  tree.narrowest = never;
  double time = state_.copies[source].available_from;
  for (std::size_t i = 0; i < state_.members.size(); ++i) {
    const Destination to = place_of(i);
    time = std::max(time, make_space(to, time));
    if (state_.failed()) return 0;
    const CoreRoute& route = tables_.route(sender, to.core);
    tree.narrowest = std::min(tree.narrowest, route.narrowest);
    for (const int link : route.distinct)
      if (std::find(tree.distinct.begin(), tree.distinct.end(), link) == tree.distinct.end())
        tree.distinct.push_back(link);
  }
  const TimeWindow window =
      bits > 0 && !tree.distinct.empty() ? transfer_window(tree, bits, time) : TimeWindow{time, time};
  const double rate = window.end > window.start ? rate_over_links(bits, window.end - window.start) : 0;
  state_.carrying.clear();
  for (std::size_t i = 0; i < state_.members.size(); ++i) {
    const Destination to = place_of(i);
    const CoreRoute& route = tables_.route(sender, to.core);
    occupy_rest(route, window, rate);
    state_.transfers.note(need.tensor, {sender, to.core, window.start, window.end});
    add_copy(need.tensor, to.memory, window.start, window.end);
    if (state_.failed()) return 0;
    pay(to, sender, source_memory, route, window, by_sender, i == 0);
  }
  leave_sender(need.tensor, source, sender, window.end, by_sender);
  return window.end;
}

/// Occupies the links of a route that the transfer at hand does not pass yet.
void ListScheduler::occupy_rest(const CoreRoute& route, const TimeWindow& window, double rate) {
  if (record_) state_.own.assign(route.links.size(), 0);
  for (std::size_t i = 0; i < route.links.size(); ++i) {
    const int link = route.links[i];
    if (std::find(state_.carrying.begin(), state_.carrying.end(), link) != state_.carrying.end()) continue;
    state_.carrying.push_back(link);
    state_.links[link].occupy(window.start, window.end, std::min(rate, state_.links[link].capacity()));
    if (record_) state_.own[i] = 1;
  }
}

/// Stream: the copy that is available first; of equal ones that in the first memory.
int ListScheduler::available_first(int tensor) const {
  int best = -1;
  for (int copy = state_.copies.first_of(tensor); copy >= 0; copy = state_.copies[copy].next_of_tensor) {
    if (best < 0) {
      best = copy;
      continue;
    }
    const TensorCopy &a = state_.copies[copy], &b = state_.copies[best];
    if (a.available_from < b.available_from ||
        (a.available_from == b.available_from && a.memory < b.memory)) {
      best = copy;
    }
  }
  return best;
}

/// The copy that takes least energy at full speed, mostly one on a core, which spares the off-chip link, of
/// those from which the tensor arrives before the core is free, with what links carry already. Where there
/// is none, the copy from which it arrives first; of equal ones that which could arrive first over free
/// links, then the one that takes less energy.
int ListScheduler::best_source(const Destination& to) {
  const int first = state_.copies.first_of(to.tensor);
  if (first < 0 || state_.copies[first].next_of_tensor < 0) return first;
  // Cheap looks first: most copies could not be there soon enough if their links were free.
  state_.sources.clear();
  for (int copy = first; copy >= 0; copy = state_.copies[copy].next_of_tensor) {
    const TensorCopy& entry = state_.copies[copy];
    const CoreRoute& route = tables_.route(sender_of(copy, to.core), to.core);
    const double bits = tables_.tensor_bits[to.tensor];
    const double cycles = route.links.empty() ? 0 : std::ceil(bits / route.narrowest);
    const double earliest = earliest_fit(to.memory, bits, entry.available_from) + cycles;
    const auto [of_links, of_memories] = price_of(to, entry.memory, route, {0, cycles});
    state_.sources.push_back({copy, earliest, of_links + of_memories, entry.memory});
  }
  std::sort(state_.sources.begin(), state_.sources.end(),
            [](const ScheduleState::Source& a, const ScheduleState::Source& b) {
              return std::tie(a.energy, a.earliest, a.memory) < std::tie(b.energy, b.earliest, b.memory);
            });
  for (const ScheduleState::Source& source : state_.sources)
    if (source.earliest <= state_.core_free &&
        earliest_arrival(to, source.copy, -never).end <= state_.core_free)
      return source.copy;
  std::sort(state_.sources.begin(), state_.sources.end(),
            [](const ScheduleState::Source& a, const ScheduleState::Source& b) {
              return std::tie(a.earliest, a.energy, a.memory) < std::tie(b.earliest, b.energy, b.memory);
            });
  int best = -1;
  double end = never;
  for (const ScheduleState::Source& source : state_.sources) {
    if (best >= 0 && source.earliest >= end) break;
    const double arrival = earliest_arrival(to, source.copy, -never).end;
    if (best >= 0 && arrival >= end) continue;
    best = source.copy;
    end = arrival;
  }
  return best;
}

/// The core whose links carry a copy to a receiver.
int ListScheduler::sender_of(int copy, int receiver) const {
  const int memory = state_.copies[copy].memory;
  if (!rules_.moves_within_core_fail) {
    // Cores that share a memory reach it without a link.
    const std::vector<int>& owners = tables_.accelerator->top_memories[memory].cores;
    if (std::find(owners.begin(), owners.end(), receiver) != owners.end()) return receiver;
  }
  return tables_.memories[memory].owner;
}

/// When a copy could be sent, as long as nothing has to leave for it. It never ends where there is no way.
TimeWindow ListScheduler::earliest_arrival(const Destination& to, int source, double not_before) {
  const double bits = tables_.tensor_bits[to.tensor];
  const TensorCopy& copy = state_.copies[source];
  const double time = earliest_fit(to.memory, bits, std::max(copy.available_from, not_before));
  const int sender = sender_of(source, to.core);
  const CoreRoute& route = tables_.route(sender, to.core);
  if (route.links.empty()) {
    if (sender != to.core) return {time, never};
    return {time, time + duration_within_core(copy.memory, to.memory, bits)};
  }
  if (bits <= 0) return {time, time};
  const TimeWindow window = transfer_window(route, bits, time);
  const int shared = multicast_to_join(to.tensor, sender, to.core, route, time, window.end);
  return shared < 0 ? window : TimeWindow{state_.transfers[shared].start, state_.transfers[shared].end};
}

/// True if nodes of a group stream what they read under a memory operand when they run on the core.
bool ListScheduler::streams(const TensorReader& reader, int core) const {
  const int layer = tables_.groups[reader.group].layer;
  const NodeCost& cost = tables_.node_cost(layer, 0, core);
  if (!cost.streamed) return false;
  const std::vector<int>& operands = tables_.layer_operands[layer];
  for (int operand = 1; operand < static_cast<int>(operands.size()); ++operand)
    if (operands[operand] == reader.memory_operand && cost.streams(operand)) return true;
  return false;
}

/// The memory from which a reader will still read the tensor, on the core that its nodes run on. Otherwise,
/// or where its room is kept for nodes in lockstep, the memory is -1.
ListScheduler::Destination ListScheduler::still_reading(int tensor, const TensorReader& reader) const {
  const int core = state_.group_core[reader.group];
  const int memory = tables_.top(core, reader.memory_operand);
  const int uses = state_.uses.find(tensor, memory);
  const bool reads = uses >= 0 && state_.uses.at(uses) > 0 && !is_offchip(memory) && !receives(memory);
  return {tensor, core, reader.memory_operand, reads ? memory : -1};
}

/// True if a memory has room from `time` on, for as long as is known, and a part of it stays free.
bool ListScheduler::has_room(int memory, double bits, double time, double free) const {
  const MemoryUsage& usage = state_.usage[memory];
  return usage.bits().back() + bits <= (1 - free) * usage.size() && usage.earliest_fit(bits, time) <= time;
}

/// Other cores that will read the tensor take it from a transfer, where they have room for it and the
/// links on their ways are free meanwhile.
void ListScheduler::send_to_others(const Destination& to, int sender_memory, int sender,
                                   const CoreRoute& route, const TimeWindow& window) {
  const double bits = tables_.tensor_bits[to.tensor], duration = window.end - window.start;
  const double rate = rate_over_links(bits, duration);
  state_.carrying.assign(route.distinct.begin(), route.distinct.end());
  const auto carries = [&](int link) {
    return std::find(state_.carrying.begin(), state_.carrying.end(), link) != state_.carrying.end();
  };
  const auto carries_or_could = [&](int link) {
    const Occupancy& use = state_.links[link];
    return carries(link) ||
           (rate <= use.capacity() && use.first_gap(window.start, duration, rate).start == window.start);
  };
  for (const TensorReader& reader : tables_.readers[to.tensor]) {
    const Destination other = still_reading(to.tensor, reader);
    if (other.memory < 0 || other.core == to.core || other.core == sender ||
        state_.copies.find(to.tensor, other.memory) >= 0 || streams(reader, other.core))
      continue;
    const CoreRoute& way = tables_.route(sender, other.core);
    if (std::none_of(way.distinct.begin(), way.distinct.end(), carries) ||
        !std::all_of(way.distinct.begin(), way.distinct.end(), carries_or_could) ||
        !has_room(other.memory, bits, window.start, left_free) ||
        took_part(to.tensor, other.core, window.start))
      continue;
    occupy_rest(way, window, rate);
    state_.transfers.note(to.tensor, {sender, other.core, window.start, window.end});
    add_copy(to.tensor, other.memory, window.start, window.end);
    if (state_.failed()) return;
    pay(other, sender, sender_memory, way, window, by_sender);
  }
}

/// Where an evicted copy that is still read waits instead of off-chip: with its only reader, else where it
/// arrives first, no later than off-chip, with a reader if one has room. Otherwise the memory is -1.
ListScheduler::Destination ListScheduler::waiting_place(int copy, double time) {
  const int tensor = state_.copies[copy].tensor, from = state_.copies[copy].memory;
  const double bits = tables_.tensor_bits[tensor];
  const Destination nowhere{tensor, -1, -1, -1};
  if (tables_.is_result[tensor]) return nowhere;
  Destination only = nowhere;
  bool several = false;
  for (const TensorReader& reader : tables_.readers[tensor]) {
    if (streams(reader, state_.group_core[reader.group])) return nowhere;  // it has to be off-chip
    const Destination place = still_reading(tensor, reader);
    if (place.memory < 0 || place.memory == only.memory) continue;
    several = several || only.memory >= 0 || place.memory == from;
    only = place;
  }
  if (!several && only.memory >= 0 && has_room(only.memory, bits, time, 0)) return only;
  const int operand = tables_.tensor_operand[tensor];
  const Destination offchip{tensor, tables_.offchip_core, operand,
                            tables_.top(tables_.offchip_core, operand)};
  double latest = earliest_arrival(offchip, copy, time).end;
  Destination best = nowhere;
  const auto consider = [&](const Destination& place) {
    if (place.memory < 0 || place.memory == from || is_offchip(place.memory) || receives(place.memory) ||
        !has_room(place.memory, bits, time, left_free))
      return;
    const double end = earliest_arrival(place, copy, time).end;
    if (end > latest || (end == latest && best.memory >= 0)) return;
    latest = end;
    best = place;
  };
  for (const TensorReader& reader : tables_.readers[tensor]) consider(still_reading(tensor, reader));
  if (best.memory >= 0) return best;
  for (int core = 0; core < tables_.core_count; ++core)
    consider({tensor, core, operand, tables_.top(core, operand)});
  return best;
}

}  // namespace zz::core
