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
  state_.stream_end = time + cost.runtime;
  if (!cost.streamed) return time;
  list_stream_requests(core, cost);
  double read_left = cost.cost->stream_read_bits, write_left = cost.cost->stream_write_bits;
  double now = time;
  while (read_left > 0 || write_left > 0) {
    double share = 1, until = std::numeric_limits<double>::infinity();
    for (const LinkRequest& request : state_.block_requests) {
      const Occupancy::Stretch stretch = state_.links[request.link].stretch(now);
      until = std::min(until, stretch.end);
      const double left = state_.links[request.link].capacity() - stretch.activity;
      if (request.demand > left) share = std::min(share, left / request.demand);
    }
    const auto part = [&](double demand) {
      return share < 1 ? std::floor(share * demand * 1024) / 1024 : demand;
    };
    const StreamPiece piece{now, until, part(cost.read_demand), part(cost.write_demand)};
    if (state_.pieces.empty() && share < enough_to_begin) {
      time = now = until;
      continue;
    }
    double cycles = read_left > 0 ? read_left / piece.read_rate : 0;
    if (write_left > 0) cycles = std::max(cycles, write_left / piece.write_rate);
    now = std::min(until, std::max(now + std::ceil(cycles), time + cost.runtime));
    read_left -= piece.read_rate * (now - piece.start);
    write_left -= piece.write_rate * (now - piece.start);
    StreamPiece* last = state_.pieces.empty() ? nullptr : &state_.pieces.back();
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
  for (const StreamPiece& piece : state_.pieces) {
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

}  // namespace zz::core
