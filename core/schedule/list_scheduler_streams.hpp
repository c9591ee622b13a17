#pragma once
#include <algorithm>

#include "core/schedule/list_scheduler.hpp"

// Nodes with operands too large for their core, which stream from and to the off-chip memory.

namespace zz::core {

/// A node that streams has the memories of the streamed operands for itself.
template <class Rules, class Record>
double ListScheduler<Rules, Record>::clear_for_streams(int core, const NodeCost& cost, double time) {
  for (const int memory_operand : cost.streamed_memory_operands) {
    const int memory = t_.top(core, memory_operand);
    if (memory < 0) continue;
    s_.snapshot.clear();
    for (int copy = s_.copies.first_in(memory); copy >= 0; copy = s_.copies[copy].after) {
      const TensorCopy& entry = s_.copies[copy];
      if (entry.reserved_from > time || s_.kept[entry.tensor] == s_.keeping) continue;
      s_.snapshot.push_back(physical ? copy : entry.tensor);
    }
    for (const int entry : s_.snapshot) {
      if constexpr (physical) {
        time = std::max(time, release(entry, memory_operand, time, true, RemovalCause::clearing,
                                      EnergyTerm::eviction_memory));
      } else {
        time = remove(entry, core, memory_operand, time, true, RemovalCause::clearing,
                      EnergyTerm::eviction_memory);
      }
      if (s_.failed()) return time;
    }
  }
  return time;
}

/// What is streamed from the off-chip memory has to be there.
template <class Rules, class Record>
double ListScheduler<Rules, Record>::supply_streams(int node, const NodeCost& cost, double time) {
  if (!cost.streamed) return time;
  for (const NeededTensor& need : t_.needs[node]) {
    if (!(cost.streamed >> need.operand & 1u)) continue;
    time = std::max(time, fetch({need.tensor, t_.offchip_core, need.memory_operand,
                                 t_.top(t_.offchip_core, need.memory_operand)},
                                EnergyTerm::eviction_memory));
    if (s_.failed()) return time;
  }
  return time;
}

/// Links between core and off-chip memory that the node's streams pass, with what they ask for.
template <class Rules, class Record>
void ListScheduler<Rules, Record>::list_stream_requests(int core, const NodeCost& cost) {
  s_.block_requests.clear();
  if (!cost.streamed) return;
  const auto ask = [&](const CoreRoute& route, double demand) {
    for (const int link : route.distinct) {
      const auto listed = std::find_if(s_.block_requests.begin(), s_.block_requests.end(),
                                       [&](const LinkRequest& request) { return request.link == link; });
      if (listed != s_.block_requests.end()) {
        listed->demand += demand;
      } else {
        s_.block_requests.push_back({link, demand});
      }
    }
  };
  if (cost.streamed & 1u) ask(t_.route(core, t_.offchip_core), cost.write_demand);
  if (cost.streamed & ~1u) ask(t_.route(t_.offchip_core, core), cost.read_demand);
}

/// Plans a node that starts at `time`, or as soon as its links have enough left for streams to begin: from
/// then on these take what is left, up to what the node can use, and the node waits for them. Returns the
/// start; the end and what is streamed when are in the state.
template <class Rules, class Record>
double ListScheduler<Rules, Record>::plan_streams(int core, const NodeCost& cost, double time) {
  constexpr double enough_to_begin = 0.5;  // of what the node can use: less blocks its core for long
  s_.pieces.clear();
  s_.stream_end = time + cost.runtime;
  if (!cost.streamed) return time;
  list_stream_requests(core, cost);
  double read_left = cost.cost->stream_read_bits, write_left = cost.cost->stream_write_bits;
  double now = time;
  while (read_left > 0 || write_left > 0) {
    double share = 1, until = std::numeric_limits<double>::infinity();
    for (const LinkRequest& request : s_.block_requests) {
      const Occupancy::Stretch stretch = s_.links[request.link].stretch(now);
      until = std::min(until, stretch.end);
      const double left = s_.links[request.link].capacity() - stretch.activity;
      if (request.demand > left) share = std::min(share, left / request.demand);
    }
    const auto part = [&](double demand) {
      return share < 1 ? std::floor(share * demand * 1024) / 1024 : demand;
    };
    const StreamPiece piece{now, until, part(cost.read_demand), part(cost.write_demand)};
    if (s_.pieces.empty() && share < enough_to_begin) {
      time = now = until;
      continue;
    }
    double cycles = read_left > 0 ? read_left / piece.read_rate : 0;
    if (write_left > 0) cycles = std::max(cycles, write_left / piece.write_rate);
    now = std::min(until, std::max(now + std::ceil(cycles), time + cost.runtime));
    read_left -= piece.read_rate * (now - piece.start);
    write_left -= piece.write_rate * (now - piece.start);
    StreamPiece* last = s_.pieces.empty() ? nullptr : &s_.pieces.back();
    if (last && last->read_rate == piece.read_rate && last->write_rate == piece.write_rate) {
      last->end = now;
    } else {
      s_.pieces.push_back(piece);
      s_.pieces.back().end = now;
    }
  }
  s_.stream_end = std::max(now, time + cost.runtime);
  return time;
}

template <class Rules, class Record>
void ListScheduler<Rules, Record>::occupy_streams(int node, int core, const NodeCost& cost) {
  for (const StreamPiece& piece : s_.pieces) {
    if (piece.read_rate <= 0 && piece.write_rate <= 0) continue;
    NodeCost slower = cost;
    slower.read_demand = piece.read_rate;
    slower.write_demand = piece.write_rate;
    list_stream_requests(core, slower);
    for (const LinkRequest& request : s_.block_requests) {
      s_.links[request.link].occupy(piece.start, piece.end, request.demand);
    }
    record_.block(s_, node, core, slower, piece.start, piece.end);
  }
}

/// Stream: reserves links for the streams before the start is known for good.
template <class Rules, class Record>
double ListScheduler<Rules, Record>::reserve_streams(int node, int core, const NodeCost& cost,
                                                     double time) {
  if (!cost.streamed) return time;
  list_stream_requests(core, cost);
  s_.block_tensors.clear();
  for (const int operand : cost.cost->streamed) {
    const int tensor = t_.graph->nodes[node].tensors[operand];
    if (tensor >= 0) s_.block_tensors.push_back(tensor);
  }
  s_.requests.clear();
  for (const LinkRequest& request : s_.block_requests) {
    s_.requests.push_back({request.link, std::min(request.demand, s_.links[request.link].capacity())});
  }
  const double start = s_.shared_windows.first_common(s_.links, s_.carried, s_.requests, s_.block_tensors,
                                                      time, cost.runtime);
  const double end = start + cost.runtime;
  for (const LinkRequest& request : s_.block_requests) {
    const auto carried = [&](int tensor) { return s_.carried.starts_at(tensor, request.link, start); };
    if (end <= start || std::any_of(s_.block_tensors.begin(), s_.block_tensors.end(), carried)) continue;
    s_.links[request.link].occupy(start, end, std::ceil(request.demand));
    for (const int tensor : s_.block_tensors) s_.carried.note(tensor, request.link, start, end);
  }
  record_.block(s_, node, core, cost, start, end);
  return start;
}

}  // namespace zz::core
