#pragma once
#include <algorithm>

#include "core/schedule/list_scheduler.hpp"

// Transfers: from where, when, over which links, at what price.

namespace zz::core {

/// The copy that is available first; of equal ones that in the first memory.
template <class Rules, class Record>
int ListScheduler<Rules, Record>::best_source(int tensor) const {
  int best = -1;
  for (int copy = s_.copies.first_of(tensor); copy >= 0; copy = s_.copies[copy].next_of_tensor) {
    if (best < 0) {
      best = copy;
      continue;
    }
    const TensorCopy &a = s_.copies[copy], &b = s_.copies[best];
    if (a.available_from < b.available_from ||
        (a.available_from == b.available_from && a.memory < b.memory)) {
      best = copy;
    }
  }
  return best;
}

/// Brings a tensor from wherever it is. Returns when it is there; by Stream's rules 0 when it was listed
/// there before.
template <class Rules, class Record>
double ListScheduler<Rules, Record>::fetch(const Destination& to, EnergyTerm purpose) {
  if (to.memory < 0) {
    s_.failure.memory_operand = to.memory_operand;
    s_.failure.core = to.core;
    fail(Kind::no_memory, to.tensor, -1);
    return 0;
  }
  if (const int there = s_.copies.find(to.tensor, to.memory); there >= 0) {
    return physical ? s_.copies[there].available_from : 0;
  }
  const int source = best_source(to.tensor);
  if (source < 0) {
    s_.failure.core = to.core;
    fail(Kind::nobody_has_it, to.tensor, to.memory);
    return 0;
  }
  return transfer(to, source, -std::numeric_limits<double>::infinity(), purpose);
}

/// An earlier transfer of the tensor from the same core that others can share from `time` on, and that ends
/// no later than `own_end`, or -1.
template <class Rules, class Record>
int ListScheduler<Rules, Record>::ride_along(int tensor, int sender, int receiver, const CoreRoute& route,
                                             double time, double own_end) const {
  constexpr int looked_at = 8;  // older ones have passed, as a rule
  int best = -1;
  double best_end = own_end;
  int count = 0;
  for (int i = s_.journeys.latest(tensor); i >= 0 && count < looked_at;
       i = s_.journeys[i].earlier, ++count) {
    const TensorJourneys::Journey& other = s_.journeys[i];
    if (other.sender != sender || other.receiver == receiver || other.start < time ||
        other.end > best_end) {
      continue;
    }
    const double duration = other.end - other.start;
    const double rate = link_rate(t_.tensor_bits[tensor], duration);
    const CoreRoute& taken = t_.route(other.sender, other.receiver);
    bool shares = false, possible = true;
    for (const int link : route.distinct) {
      const Occupancy& use = s_.links[link];
      const bool shared =
          std::find(taken.distinct.begin(), taken.distinct.end(), link) != taken.distinct.end();
      shares = shares || shared;
      possible = possible && (shared || (rate <= use.capacity() &&
                                         use.first_gap(other.start, duration, rate).start == other.start));
    }
    // What went to this receiver before does not arrive a second time.
    for (int j = s_.journeys.latest(tensor), seen = 0; j >= 0 && possible && seen < looked_at;
         j = s_.journeys[j].earlier, ++seen) {
      possible = s_.journeys[j].receiver != receiver || s_.journeys[j].start != other.start;
    }
    if (!shares || !possible) continue;
    best = i;
    best_end = other.end;
  }
  return best;
}

/// How long a transfer takes that starts now, with what its links have left meanwhile; infinity when it
/// would not end before `latest`.
template <class Rules, class Record>
double ListScheduler<Rules, Record>::duration_beside(const CoreRoute& route, double bits, double time,
                                                     double latest) const {
  double duration = std::ceil(bits / route.narrowest);
  while (time + duration < latest) {
    double left = route.narrowest;
    for (const int link : route.distinct) {
      left = std::min(left, s_.links[link].capacity() - s_.links[link].peak(time, time + duration));
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
template <class Rules, class Record>
TimeWindow ListScheduler<Rules, Record>::transfer_window(const CoreRoute& route, double bits, double time) {
  TimeWindow best{time, std::numeric_limits<double>::infinity()};
  for (const double share : {1.0, 0.0, 0.875, 0.75, 0.5, 0.25}) {
    const double duration = share > 0 ? std::ceil(bits / (route.narrowest * share))
                                      : duration_beside(route, bits, time, best.end);
    if (time + duration >= best.end) continue;
    const double rate = link_rate(bits, duration);
    s_.requests.clear();
    for (const int link : route.distinct) {
      s_.requests.push_back({link, std::min(rate, s_.links[link].capacity())});
    }
    const double start = first_common_gap(s_.links, s_.requests, time, duration);
    if (start + duration < best.end) best = {start, start + duration};
    if (share == 1 && start == time) return best;
  }
  if (best.start > time) {
    const double duration = duration_beside(route, bits, best.start, best.end);
    best.end = std::min(best.end, best.start + duration);
  }
  return best;
}

/// Finds the time of a transfer of some duration and says in ScheduleState::own what it occupies.
template <class Rules, class Record>
double ListScheduler<Rules, Record>::transfer_start(int tensor, const CoreRoute& route, double time,
                                                    double duration) {
  if (duration == 0 || route.links.empty()) return time;
  s_.requests.clear();
  for (const int link : route.distinct) s_.requests.push_back({link, s_.links[link].capacity()});
  if constexpr (!physical) {
    return s_.shared_windows.first_common(s_.links, s_.carried, s_.requests, {&tensor, 1}, time, duration);
  }
  return first_common_gap(s_.links, s_.requests, time, duration);
}

template <class Rules, class Record>
void ListScheduler<Rules, Record>::occupy_route(int tensor, const CoreRoute& route, double start,
                                                double end) {
  constexpr double stream_activity = 100;  // whatever the bandwidth: meant as a percentage
  if constexpr (Record::active) s_.own.assign(route.links.size(), 0);
  for (std::size_t i = 0; i < route.links.size() && end > start; ++i) {
    const int link = route.links[i];
    if (s_.carried.starts_at(tensor, link, start)) continue;
    s_.carried.note(tensor, link, start, end);
    s_.links[link].occupy(start, end, stream_activity);
    if constexpr (Record::active) s_.own[i] = 1;
  }
}

template <class Rules, class Record>
void ListScheduler<Rules, Record>::pay(const Destination& to, int sender, int sender_memory,
                                       const CoreRoute& route, double start, double end,
                                       EnergyTerm purpose) {
  const double bits = t_.tensor_bits[to.tensor];
  double link_energy = 0;
  for (const int link : route.links) link_energy += (end - start) * t_.accelerator->links[link].unit_energy;
  const MemoryEntry &from = t_.memories[sender_memory], &into = t_.memories[to.memory];
  const double memory_energy = from.read_cost * std::ceil(bits / from.read_bandwidth) +
                               into.write_cost * std::ceil(bits / into.write_bandwidth);
  if (purpose == by_sender) {
    purpose = sender == t_.offchip_core ? EnergyTerm::node_offchip_memory : EnergyTerm::core_to_core_memory;
  }
  s_.energy[static_cast<int>(purpose) - 1] += link_energy;
  s_.energy[static_cast<int>(purpose)] += memory_energy;
  s_.latest_transfer = std::max(s_.latest_transfer, end);
  record_.transfer(s_, to.tensor, sender, to.core, to.memory_operand, to.memory, start, end, link_energy,
                   memory_energy, purpose);
}

/// Sends a copy to another memory, as early as memory and links allow. Returns when it is there.
template <class Rules, class Record>
double ListScheduler<Rules, Record>::transfer(const Destination& to, int source, double not_before,
                                              EnergyTerm purpose) {
  const double bits = t_.tensor_bits[to.tensor];
  const double available = std::max(s_.copies[source].available_from, not_before);
  const double time = make_space(to, earliest_fit(to.memory, bits, available));
  if (s_.failed()) return 0;
  const int source_memory = s_.copies[source].memory;
  int sender = t_.memories[source_memory].owner;
  if constexpr (physical) {
    // Cores that share a memory reach it without a link.
    const std::vector<int>& owners = t_.accelerator->top_memories[source_memory].cores;
    if (std::find(owners.begin(), owners.end(), to.core) != owners.end()) sender = to.core;
  }
  const CoreRoute& route = t_.route(sender, to.core);
  double duration = std::isinf(route.narrowest) ? 0 : std::ceil(bits / route.narrowest);
  if (route.links.empty()) {
    // Between two memories of one core data move by the physical rules only.
    if (!physical || sender != to.core) {
      fail(Kind::no_way, to.tensor, to.memory);
      s_.failure.core = sender;
      return 0;
    }
    duration = std::max(std::ceil(bits / t_.memories[source_memory].read_bandwidth),
                        std::ceil(bits / t_.memories[to.memory].write_bandwidth));
  }
  double start = time, end = time + duration;
  if constexpr (Record::active && physical) s_.own.assign(route.links.size(), 0);
  if constexpr (!physical) {
    start = transfer_start(to.tensor, route, time, duration);
    end = start + duration;
  } else if (duration > 0 && !route.links.empty()) {
    const TimeWindow window = transfer_window(route, bits, time);
    start = window.start;
    end = window.end;
    const int shared = ride_along(to.tensor, sender, to.core, route, time, end);
    if (shared >= 0) {
      start = s_.journeys[shared].start;
      end = s_.journeys[shared].end;
    }
    const double rate = link_rate(bits, end - start);
    for (std::size_t i = 0; i < route.links.size(); ++i) {
      const int link = route.links[i];
      if (std::find(route.links.begin(), route.links.begin() + i, link) != route.links.begin() + i)
        continue;
      if (shared >= 0) {
        const auto& taken = t_.route(sender, s_.journeys[shared].receiver).distinct;
        if (std::find(taken.begin(), taken.end(), link) != taken.end()) continue;
      }
      s_.links[link].occupy(start, end, std::min(rate, s_.links[link].capacity()));
      if constexpr (Record::active) s_.own[i] = 1;
    }
    s_.journeys.note(to.tensor, {sender, to.core, start, end});
  }
  add_copy(to.tensor, to.memory, start, end);
  if (s_.failed()) return 0;
  if constexpr (!physical) occupy_route(to.tensor, route, start, end);
  // Stream looks the price up where the tensor belongs, which is where it is or it would not be found.
  const int home = t_.top(sender, t_.tensor_operand[to.tensor]);
  pay(to, sender, physical || home < 0 ? source_memory : home, route, start, end, purpose);

  TensorCopy& sent = s_.copies[source];
  if constexpr (physical) sent.used_until = std::max(sent.used_until, end);
  if (sender == t_.offchip_core) return end;
  const bool still_read = sent.priority >= 0 && s_.uses.at(sent.priority) != 0;
  if (still_read) return end;
  if constexpr (physical) {
    // A write-back is part of a removal, which sees to the copy itself.
    if (purpose == by_sender) {
      release(source, t_.tensor_operand[to.tensor], 0, false, RemovalCause::moved, purpose);
    }
  } else {
    remove(to.tensor, sender, t_.tensor_operand[to.tensor], end, false, RemovalCause::moved, purpose);
  }
  return end;
}

}  // namespace zz::core
