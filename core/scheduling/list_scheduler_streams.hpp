#pragma once
#include <algorithm>

#include "core/scheduling/list_scheduler.hpp"

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
