#include <algorithm>
#include <limits>

#include "core/multicore/schedule/detail/list_scheduler.hpp"

// Nodes with operands too large for their core, which stream from and to the off-chip memory.

namespace zz::core {

/// Empties the memories of the streamed operands: a node that streams has them for itself.
double ListScheduler::clear_for_streams(int core, const NodeCost& cost, double time) {
  for (const int memory_operand : cost.streamed_memory_operands) {
    const int memory = tables_.top(core, memory_operand);
    if (memory < 0) continue;
    state_.snapshot.clear();
    for (int copy = state_.copies.first_in(memory); copy >= 0; copy = state_.copies[copy].after) {
      const TensorCopy& entry = state_.copies[copy];
      if (entry.reserved_from > time || state_.kept[entry.tensor] == state_.keeping) continue;
      state_.snapshot.push_back(rules_.memory_free_at_once ? entry.tensor : copy);
    }
    for (const int entry : state_.snapshot) {
      if (rules_.memory_free_at_once) {
        time = remove_at_once(entry, core, memory_operand, time, true, RemovalCause::clearing,
                              EnergyTerm::eviction_memory);
      } else {
        time = std::max(time, release(entry, memory_operand, time, true, RemovalCause::clearing,
                                      EnergyTerm::eviction_memory));
      }
      if (state_.failed()) return time;
    }
  }
  return time;
}

/// Brings what is streamed to the off-chip memory, where it is not there yet.
double ListScheduler::supply_streams(int node, const NodeCost& cost, double time) {
  if (!cost.streamed) return time;
  for (const NeededTensor& need : tables_.needs[node]) {
    if (!cost.streams(need.operand)) continue;
    time = std::max(time, fetch({need.tensor, tables_.offchip_core, need.memory_operand,
                                 tables_.top(tables_.offchip_core, need.memory_operand)},
                                EnergyTerm::eviction_memory));
    if (state_.failed()) return time;
  }
  return time;
}

/// Lists the links between core and off-chip memory that the streams of the node pass, and their demands.
void ListScheduler::list_stream_requests(int core, const NodeCost& cost) {
  state_.block_requests.clear();
  if (!cost.streamed) return;
  const auto ask = [&](const CoreRoute& route, double demand) {
    for (const int link : route.distinct) {
      const auto listed = std::find_if(state_.block_requests.begin(), state_.block_requests.end(),
                                       [&](const LinkRequest& request) { return request.link == link; });
      if (listed != state_.block_requests.end()) {
        listed->demand += demand;
      } else {
        state_.block_requests.push_back({link, demand});
      }
    }
  };
  if (cost.streams(0)) ask(tables_.route(core, tables_.offchip_core), cost.write_demand);
  if (cost.streamed & ~1u) ask(tables_.route(tables_.offchip_core, core), cost.read_demand);
}

/// Plans a node that starts at `time`, or as soon as its links have enough left for streams to begin. From
/// then on the streams take what the links have left, up to what the node can use, and the node waits for
/// them. Returns the start; ScheduleState::stream_end and pieces say the rest.
double ListScheduler::plan_streams(int core, const NodeCost& cost, double time) {
  constexpr double enough_to_begin = 0.5;  // of what the node can use: less blocks its core for long
  state_.pieces.clear();
  state_.fullest_link = -1;
  state_.stream_end = time + cost.runtime;
  if (!cost.streamed) return time;
  list_stream_requests(core, cost);
  double read_left = cost.cost->stream_read_bits, write_left = cost.cost->stream_write_bits;
  const double asked = time;
  double now = time;
  while (read_left > 0 || write_left > 0) {
    double share = 1, until = std::numeric_limits<double>::infinity();
    for (const LinkRequest& request : state_.block_requests) {
      const Occupancy::Stretch stretch = state_.links[request.link].stretch(now);
      until = std::min(until, stretch.end);
      const double left = state_.links[request.link].capacity() - stretch.activity;
      if (request.demand <= left || left / request.demand >= share) continue;
      share = left / request.demand;
      state_.fullest_link = request.link;
    }
    const auto part = [&](double demand) {
      return share < 1 ? std::floor(share * demand * 1024) / 1024 : demand;
    };
    const StreamPeriod piece{now, until, part(cost.read_demand), part(cost.write_demand)};
    if (state_.pieces.empty() && share < enough_to_begin) {
      if (beyond_period(asked, until, core, state_.fullest_link)) return time;
      time = now = until;
      continue;
    }
    if (beyond_period(time, now, core, state_.fullest_link)) return time;
    double cycles = read_left > 0 ? read_left / piece.read_rate : 0;
    if (write_left > 0) cycles = std::max(cycles, write_left / piece.write_rate);
    now = std::min(until, std::max(now + std::ceil(cycles), time + cost.runtime));
    read_left -= piece.read_rate * (now - piece.start);
    write_left -= piece.write_rate * (now - piece.start);
    StreamPeriod* last = state_.pieces.empty() ? nullptr : &state_.pieces.back();
    if (last && last->read_rate == piece.read_rate && last->write_rate == piece.write_rate) {
      last->end = now;
    } else {
      state_.pieces.push_back(piece);
      state_.pieces.back().end = now;
    }
  }
  state_.stream_end = std::max(now, time + cost.runtime);
  return time;
}

void ListScheduler::occupy_streams(int node, int core, const NodeCost& cost) {
  for (const StreamPeriod& piece : state_.pieces) {
    if (piece.read_rate <= 0 && piece.write_rate <= 0) continue;
    NodeCost slower = cost;
    slower.read_demand = piece.read_rate;
    slower.write_demand = piece.write_rate;
    list_stream_requests(core, slower);
    for (const LinkRequest& request : state_.block_requests) {
      state_.links[request.link].occupy(piece.start, piece.end, request.demand);
    }
    if (record_) record_->block(state_, node, core, slower, piece.start, piece.end);
  }
}

/// Stream: reserves its links for whole elements a cycle, before the start is known for good.
double ListScheduler::reserve_whole_elements(int node, int core, const NodeCost& cost, double time) {
  if (!cost.streamed) return time;
  list_stream_requests(core, cost);
  state_.block_tensors.clear();
  for (const int operand : cost.cost->streamed) {
    const int tensor = tables_.graph->nodes[node].tensors[operand];
    if (tensor >= 0) state_.block_tensors.push_back(tensor);
  }
  state_.requests.clear();
  for (const LinkRequest& request : state_.block_requests) {
    state_.requests.push_back(
        {request.link, std::min(request.demand, state_.links[request.link].capacity())});
  }
  const double start = state_.shared_windows.first_common(state_.links, state_.carried, state_.requests,
                                                          state_.block_tensors, time, cost.runtime);
  const double end = start + cost.runtime;
  for (const LinkRequest& request : state_.block_requests) {
    const auto carried = [&](int tensor) { return state_.carried.starts_at(tensor, request.link, start); };
    if (end <= start || std::any_of(state_.block_tensors.begin(), state_.block_tensors.end(), carried))
      continue;
    state_.links[request.link].occupy(start, end, std::ceil(request.demand));
    for (const int tensor : state_.block_tensors) state_.carried.note(tensor, request.link, start, end);
  }
  if (record_) record_->block(state_, node, core, cost, start, end);
  return start;
}

// Transfers: when, over which links, at what price.

double ListScheduler::rate_over_links(double bits, double duration) {
  return std::ceil(bits / duration * 1024) / 1024;
}

/// True if a transfer of the tensor that starts then goes to the core: a receiver takes part in a multicast
/// once.
bool ListScheduler::took_part(int tensor, int receiver, double start) const {
  for (int i = state_.transfers.latest(tensor); i >= 0; i = state_.transfers[i].earlier)
    if (state_.transfers[i].receiver == receiver && state_.transfers[i].start == start) return true;
  return false;
}

/// An earlier transfer of the tensor from the same core that the receiver can join: it starts at `time` or
/// later, ends at `own_end` or earlier, and shares a link. Returns its index in the history, or -1.
int ListScheduler::multicast_to_join(int tensor, int sender, int receiver, const CoreRoute& route,
                                     double time, double own_end) const {
  int best = -1;
  double best_end = own_end;
  for (int i = state_.transfers.latest(tensor); i >= 0; i = state_.transfers[i].earlier) {
    const TransferHistory::Entry& other = state_.transfers[i];
    if (other.sender != sender || other.receiver == receiver || other.start < time ||
        other.end > best_end) {
      continue;
    }
    const double duration = other.end - other.start;
    const double rate = rate_over_links(tables_.tensor_bits[tensor], duration);
    const CoreRoute& taken = tables_.route(other.sender, other.receiver);
    bool shares = false, possible = true;
    for (const int link : route.distinct) {
      const Occupancy& use = state_.links[link];
      const bool shared =
          std::find(taken.distinct.begin(), taken.distinct.end(), link) != taken.distinct.end();
      shares = shares || shared;
      possible = possible && (shared || (rate <= use.capacity() &&
                                         use.first_gap(other.start, duration, rate).start == other.start));
    }
    possible = possible && !took_part(tensor, receiver, other.start);
    if (!shares || !possible) continue;
    best = i;
    best_end = other.end;
  }
  return best;
}

/// Duration of a transfer that starts now, with what its links have left meanwhile; infinity when it would
/// not end before `latest`.
double ListScheduler::duration_beside(const CoreRoute& route, double bits, double time,
                                      double latest) const {
  double duration = std::ceil(bits / route.narrowest);
  while (time + duration < latest) {
    double left = route.narrowest;
    for (const int link : route.distinct) {
      left = std::min(left, state_.links[link].capacity() - state_.links[link].peak(time, time + duration));
    }
    // Rates are rounded up.
    left = std::floor(left * 1024) / 1024;
    if (left <= 0) break;
    const double longer = std::ceil(bits / left);
    if (longer <= duration) return duration;
    duration = longer;
  }
  return std::numeric_limits<double>::infinity();
}

/// When a transfer ends first: at full speed, or slower beside what else the links carry.
TimeWindow ListScheduler::transfer_window(const CoreRoute& route, double bits, double time) {
  TimeWindow best{time, std::numeric_limits<double>::infinity()};
  for (const double share : {1.0, 0.0, 0.875, 0.75, 0.5, 0.25}) {
    const double duration = share > 0 ? std::ceil(bits / (route.narrowest * share))
                                      : duration_beside(route, bits, time, best.end);
    if (time + duration >= best.end) continue;
    const double rate = rate_over_links(bits, duration);
    state_.requests.clear();
    for (const int link : route.distinct) {
      state_.requests.push_back({link, std::min(rate, state_.links[link].capacity())});
    }
    const double start = first_common_gap(state_.links, state_.requests, time, duration);
    if (start + duration < best.end) best = {start, start + duration};
    if (share == 1 && start == time) return best;
  }
  if (best.start > time) {
    const double duration = duration_beside(route, bits, best.start, best.end);
    best.end = std::min(best.end, best.start + duration);
  }
  return best;
}

/// Energy of links, and of the memories at both ends.
std::pair<double, double> ListScheduler::price_of(const Destination& to, int sender_memory,
                                                  const CoreRoute& route, const TimeWindow& window) const {
  const double bits = tables_.tensor_bits[to.tensor];
  double link_energy = 0;
  for (const int link : route.links)
    link_energy += (window.end - window.start) * tables_.accelerator->links[link].unit_energy;
  const MemoryEntry &from = tables_.memories[sender_memory], &into = tables_.memories[to.memory];
  return {link_energy, from.read_cost * std::ceil(bits / from.read_bandwidth) +
                           into.write_cost * std::ceil(bits / into.write_bandwidth)};
}

/// `reads`: false where the sender's memory has been read for others of the same transfer.
void ListScheduler::pay(const Destination& to, int sender, int sender_memory, const CoreRoute& route,
                        const TimeWindow& window, EnergyTerm purpose, bool reads) {
  auto [link_energy, memory_energy] = price_of(to, sender_memory, route, window);
  if (!reads) {
    const MemoryEntry& from = tables_.memories[sender_memory];
    memory_energy -= from.read_cost * std::ceil(tables_.tensor_bits[to.tensor] / from.read_bandwidth);
  }
  if (purpose == by_sender) {
    purpose =
        sender == tables_.offchip_core ? EnergyTerm::node_offchip_memory : EnergyTerm::core_to_core_memory;
  }
  state_.energy[static_cast<int>(purpose) - 1] += link_energy;
  energy(purpose) += memory_energy;
  state_.latest_transfer = std::max(state_.latest_transfer, window.end);
  if (record_) {
    record_->transfer(state_, to.tensor, sender, to.core, to.memory_operand, to.memory, window.start,
                      window.end, link_energy, memory_energy, purpose);
  }
}

/// Occupies the links of a route: on its own, or together with an earlier transfer of the tensor.
TimeWindow ListScheduler::send(int tensor, int sender, int receiver, const CoreRoute& route, double time,
                               double duration) {
  if (record_) state_.own.assign(route.links.size(), 0);
  if (duration <= 0 || route.links.empty()) return {time, time + duration};
  const double bits = tables_.tensor_bits[tensor];
  TimeWindow window = transfer_window(route, bits, time);
  const int shared = multicast_to_join(tensor, sender, receiver, route, time, window.end);
  if (shared >= 0) window = {state_.transfers[shared].start, state_.transfers[shared].end};
  const double rate = rate_over_links(bits, window.end - window.start);
  for (std::size_t i = 0; i < route.links.size(); ++i) {
    const int link = route.links[i];
    if (std::find(route.links.begin(), route.links.begin() + i, link) != route.links.begin() + i) continue;
    if (shared >= 0) {
      const auto& taken = tables_.route(sender, state_.transfers[shared].receiver).distinct;
      if (std::find(taken.begin(), taken.end(), link) != taken.end()) continue;
    }
    state_.links[link].occupy(window.start, window.end, std::min(rate, state_.links[link].capacity()));
    if (record_) state_.own[i] = 1;
  }
  state_.transfers.note(tensor, {sender, receiver, window.start, window.end});
  return window;
}

/// Stream: a link carries a tensor free of charge at every time at which it carried the tensor before.
TimeWindow ListScheduler::send_repeats_free(int tensor, const CoreRoute& route, double time,
                                            double duration) {
  if (duration == 0 || route.links.empty()) return {time, time + duration};
  state_.requests.clear();
  for (const int link : route.distinct) state_.requests.push_back({link, state_.links[link].capacity()});
  const double start = state_.shared_windows.first_common(state_.links, state_.carried, state_.requests,
                                                          {&tensor, 1}, time, duration);
  return {start, start + duration};
}

void ListScheduler::occupy_repeats_free(int tensor, const CoreRoute& route, const TimeWindow& window) {
  constexpr double stream_activity = 100;  // whatever the bandwidth: meant as a percentage
  if (record_) state_.own.assign(route.links.size(), 0);
  for (std::size_t i = 0; i < route.links.size() && window.end > window.start; ++i) {
    const int link = route.links[i];
    if (state_.carried.starts_at(tensor, link, window.start)) continue;
    state_.carried.note(tensor, link, window.start, window.end);
    state_.links[link].occupy(window.start, window.end, stream_activity);
    if (record_) state_.own[i] = 1;
  }
}

double ListScheduler::duration_within_core(int from, int to, double bits) const {
  const auto cycles = [&](double bandwidth, double efficiency) {
    return std::ceil(bits / (bandwidth * efficiency));
  };
  const std::vector<TopMemory>& memories = tables_.accelerator->top_memories;
  return std::max(cycles(tables_.memories[from].read_bandwidth, memories[from].read_efficiency),
                  cycles(tables_.memories[to].write_bandwidth, memories[to].write_efficiency));
}

/// Sends a copy to another memory, as early as memory and links allow. Returns when it is there.
double ListScheduler::transfer(const Destination& to, int source, double not_before, EnergyTerm purpose) {
  const double bits = tables_.tensor_bits[to.tensor];
  const double available = std::max(state_.copies[source].available_from, not_before);
  const double time =
      make_space(to, rules_.memory_free_at_once ? earliest_fit(to.memory, bits, available) : available);
  if (state_.failed()) return 0;
  const int source_memory = state_.copies[source].memory, sender = sender_of(source, to.core);
  const CoreRoute& route = tables_.route(sender, to.core);
  double duration = std::isinf(route.narrowest) ? 0 : std::ceil(bits / route.narrowest);
  if (route.links.empty()) {
    if (rules_.moves_within_core_fail || sender != to.core) {
      fail(Kind::no_way, to.tensor, to.memory);
      state_.failure.core = sender;
      return 0;
    }
    // Between two memories of one core.
    duration = duration_within_core(source_memory, to.memory, bits);
  }
  const TimeWindow window = rules_.repeated_transfers_free
                                ? send_repeats_free(to.tensor, route, time, duration)
                                : send(to.tensor, sender, to.core, route, time, duration);
  add_copy(to.tensor, to.memory, window.start, window.end);
  if (state_.failed()) return 0;
  if (rules_.repeated_transfers_free) occupy_repeats_free(to.tensor, route, window);
  int paid_memory = source_memory;
  if (rules_.moves_within_core_fail) {
    // Stream looks the price up where the tensor belongs, which is where it is or it would not be found.
    const int home = tables_.top(sender, tables_.tensor_operand[to.tensor]);
    if (home >= 0) paid_memory = home;
  }
  pay(to, sender, paid_memory, route, window, purpose);
  if (!rules_.repeated_transfers_free && to.core != tables_.offchip_core && window.end > window.start)
    send_to_others(to, source_memory, sender, route, window);
  leave_sender(to.tensor, source, sender, window.end, purpose);
  return window.end;
}

/// A copy that nobody reads any more at its sender leaves it.
void ListScheduler::leave_sender(int tensor, int source, int sender, double end, EnergyTerm purpose) {
  TensorCopy& sent = state_.copies[source];
  if (!rules_.memory_free_at_once) sent.used_until = std::max(sent.used_until, end);
  if (sender == tables_.offchip_core) return;
  const bool still_read = sent.priority >= 0 && state_.uses.at(sent.priority) != 0;
  if (still_read || state_.stays(tensor, false)) return;
  const int operand = tables_.tensor_operand[tensor];
  if (rules_.memory_free_at_once) {
    remove_at_once(tensor, sender, operand, end, false, RemovalCause::moved, purpose);
  } else if (purpose == by_sender) {
    // A write-back is part of a removal, which sees to the copy itself.
    release(source, operand, 0, false, RemovalCause::moved, purpose);
  }
}

}  // namespace zz::core
