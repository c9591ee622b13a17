#pragma once
#include <algorithm>

#include "core/schedule/list_scheduler.hpp"

// Nodes: what has to be in place before one starts, when that is, and what follows from its end.

namespace zz::core {

template <class Rules, class Record>
void ListScheduler<Rules, Record>::supply_constants() {
  for (const int tensor : t_.initial) {
    add_copy(tensor, t_.top(t_.offchip_core, t_.tensor_operand[tensor]), 0, 0);
    if (s_.failed()) return;
  }
}

template <class Rules, class Record>
void ListScheduler<Rules, Record>::prefetch() {
  ++s_.keeping;
  for (const ScheduleProblem::Tables::Prefetch& entry : t_.prefetches) {
    const int core = s_.group_core[t_.group_of[entry.node]];
    if (physical && (t_.node_cost(entry.node, core).streamed >> entry.what.operand & 1u)) continue;
    fetch({entry.what.tensor, core, entry.what.memory_operand, t_.top(core, entry.what.memory_operand)});
    if (s_.failed()) return;
  }
}

/// Marks what must not be evicted while the node is prepared.
template <class Rules, class Record>
void ListScheduler<Rules, Record>::keep_needs(int node, const NodeCost& cost) {
  ++s_.keeping;
  for (const NeededTensor& need : t_.needs[node]) {
    if (!(cost.streamed >> need.operand & 1u)) s_.kept[need.tensor] = s_.keeping;
  }
  if constexpr (physical) s_.kept[t_.output_of[node]] = s_.keeping;
}

template <class Rules, class Record>
double ListScheduler<Rules, Record>::fetch_needs(int node, int core, const NodeCost& cost, double time) {
  for (const NeededTensor& need : t_.needs[node]) {
    if (cost.streamed >> need.operand & 1u) continue;
    time =
        std::max(time, fetch({need.tensor, core, need.memory_operand, t_.top(core, need.memory_operand)}));
    if (s_.failed()) return time;
  }
  return time;
}

/// Other nodes have added to the output: it has to come here, and nowhere else is it up to date from now
/// on.
template <class Rules, class Record>
double ListScheduler<Rules, Record>::take_over_partial_sum(const Destination& output, double time) {
  time = std::max(time, fetch(output));
  if (s_.failed()) return time;
  for (int copy = s_.copies.first_of(output.tensor); copy >= 0;) {
    const int next = s_.copies[copy].next_of_tensor;
    if (s_.copies[copy].memory != output.memory) {
      release(copy, output.memory_operand, 0, false, RemovalCause::moved, by_sender);
    }
    copy = next;
  }
  return time;
}

/// The first cycle from `time` on at which core and space for the output are free together, and streams
/// have enough of their links to begin.
template <class Rules, class Record>
double ListScheduler<Rules, Record>::find_start(const Destination& output, bool exists, int core,
                                                const NodeCost& cost, double time, bool back_filling) {
  for (;;) {
    double start = time;
    TimeWindow gap{start, std::numeric_limits<double>::infinity()};
    do {
      if (back_filling) gap = s_.core_busy[core].first_gap(start, cost.runtime, 1);
      start = plan_streams(core, cost, gap.start);
      if (s_.stream_end > gap.end) start = gap.end;
    } while (s_.stream_end > gap.end);
    if (!exists) time = make_space(output, start);
    if (s_.failed() || exists || time == start) return start;
  }
}

template <class Rules, class Record>
void ListScheduler<Rules, Record>::produce(const Destination& output, double start, double end) {
  const int copy = add_copy(output.tensor, output.memory, start, end);
  if constexpr (physical) {
    s_.copies[copy].available_from = end;
    s_.copies[copy].used_until = std::max(s_.copies[copy].used_until, end);
  }
}

template <class Rules, class Record>
void ListScheduler<Rules, Record>::occupy_core(int core, double start, double end, bool back_filling) {
  s_.core_idle[core] = std::max(s_.core_idle[core], end);
  if (back_filling) s_.core_busy[core].occupy(start, end, 1);
}

/// Nobody reads the tensor any more: it leaves everywhere.
template <class Rules, class Record>
void ListScheduler<Rules, Record>::drop_unused(int tensor, double end) {
  const int operand = t_.tensor_operand[tensor];
  s_.holders.clear();
  for (int copy = s_.copies.first_of(tensor); copy >= 0; copy = s_.copies[copy].next_of_tensor) {
    s_.holders.push_back(physical ? copy : s_.copies[copy].memory);
  }
  if constexpr (physical) {
    for (const int copy : s_.holders) {
      if (is_offchip(s_.copies[copy].memory) && t_.is_result[tensor]) continue;
      release(copy, operand, 0, false, RemovalCause::unused, by_sender);
    }
  } else {
    std::sort(s_.holders.begin(), s_.holders.end());
    for (const int memory : s_.holders) {
      const std::vector<int>& owners = t_.accelerator->top_memories[memory].cores;
      double last = -1;
      for (const int consumer : t_.consumers[tensor]) {
        const int core = s_.group_core[t_.group_of[consumer]];
        if (is_offchip(memory) || std::find(owners.begin(), owners.end(), core) != owners.end()) {
          last = std::max(last, s_.node_end[consumer]);
        }
      }
      remove(tensor, owners.front(), operand, last < 0 ? end : last, false, RemovalCause::unused,
             by_sender);
    }
  }
}

template <class Rules, class Record>
void ListScheduler<Rules, Record>::count_uses(int node, int core, const NodeCost& cost, double end) {
  const auto counts = [&](const NeededTensor& need) {
    return physical || !(cost.streamed >> need.operand & 1u);
  };
  for (const NeededTensor& need : t_.needs[node]) {
    if (!counts(need)) continue;
    s_.uses.use(need.tensor, need.reader);
    if constexpr (physical) {
      const bool streamed = cost.streamed >> need.operand & 1u;
      const int memory = t_.top(streamed ? t_.offchip_core : core, need.memory_operand);
      if (const int copy = s_.copies.find(need.tensor, memory); copy >= 0) {
        s_.copies[copy].used_until = std::max(s_.copies[copy].used_until, end);
      }
    }
  }
  for (const NeededTensor& need : t_.needs[node]) {
    if (counts(need) && s_.uses.total(need.tensor) == 0) drop_unused(need.tensor, end);
  }
}

/// Results go off-chip at once. By the physical rules they stay on the core, too, while that reads them.
template <class Rules, class Record>
void ListScheduler<Rules, Record>::write_result(int node, const Destination& output, double end) {
  const int core = s_.group_core[t_.group_of[node]];
  if constexpr (physical) {
    if (is_offchip(output.memory)) return;
    const int copy = s_.copies.find(output.tensor, output.memory);
    const int priority = s_.copies[copy].priority;
    if (priority >= 0 && s_.uses.at(priority) > 0) {
      transfer({output.tensor, t_.offchip_core, output.memory_operand,
                t_.top(t_.offchip_core, output.memory_operand)},
               copy, end, EnergyTerm::final_output_memory);
    } else {
      release(copy, output.memory_operand, end, true, RemovalCause::final_output,
              EnergyTerm::final_output_memory);
    }
  } else {
    remove(output.tensor, core, output.memory_operand, end, true, RemovalCause::final_output,
           EnergyTerm::final_output_memory);
  }
}

template <class Rules, class Record>
void ListScheduler<Rules, Record>::release_successors(int node, double end, const ScheduleChoice& choice) {
  const bool dynamic = choice.dispatch != DispatchRule::rank;
  for (const int successor : t_.successors[node]) {
    double& latest = s_.predecessors_end[successor];
    latest = std::max(latest, end);
    if (!dynamic || --s_.waiting[successor] > 0) continue;
    make_ready(successor, choice);
  }
}

template <class Rules, class Record>
void ListScheduler<Rules, Record>::make_ready(int node, const ScheduleChoice& choice) {
  const double end = s_.predecessors_end[node];
  const double priority =
      choice.dispatch == DispatchRule::critical_path ? end - choice.weight * s_.path_left[node] : 0;
  s_.ready.add(node, s_.group_core[t_.group_of[node]], end, priority);
}

template <class Rules, class Record>
void ListScheduler<Rules, Record>::place(int node, const ScheduleChoice& choice) {
  const int core = s_.group_core[t_.group_of[node]];
  const NodeCost& cost = t_.node_cost(node, core);
  s_.failure.node = node;
  s_.failure.core = core;
  const int output_operand = t_.tensor_operand[t_.output_of[node]];
  const int home = cost.streamed & 1u ? t_.offchip_core : core;
  const Destination output{t_.output_of[node], home, output_operand, t_.top(home, output_operand)};
  if (output.memory < 0) {
    s_.failure.memory_operand = output_operand;
    fail(Kind::no_memory, output.tensor, -1);
    return;
  }
  double time = s_.predecessors_end[node];
  if (!choice.back_filling) time = std::max(time, s_.core_idle[core]);
  keep_needs(node, cost);
  if (cost.streamed) time = clear_for_streams(core, cost, time);
  if (!s_.failed()) time = fetch_needs(node, core, cost, time);
  if (s_.failed()) return;
  double start = 0;
  if constexpr (physical) {
    time = supply_streams(node, cost, time);
    const bool exists = !s_.failed() && s_.copies.first_of(output.tensor) >= 0;
    if (exists) time = take_over_partial_sum(output, time);
    if (s_.failed()) return;
    start = find_start(output, exists, core, cost, time, choice.back_filling);
  } else {
    start = make_space(output, reserve_streams(node, core, cost, time));
  }
  if (s_.failed()) return;
  const double end = physical ? s_.stream_end : start + cost.runtime;
  produce(output, start, end);
  if (s_.failed()) return;
  if (physical && cost.streamed) occupy_streams(node, core, cost);
  record_.node(node, core, start, end);
  ++s_.placed;
  s_.node_end[node] = end;
  occupy_core(core, start, end, choice.back_filling);
  s_.energy[static_cast<int>(EnergyTerm::node_onchip)] += cost.onchip_energy;
  s_.energy[static_cast<int>(EnergyTerm::node_offchip_memory)] += cost.offchip_energy;
  count_uses(node, core, cost, end);
  if (t_.writes_result[node]) write_result(node, {output.tensor, core, output_operand, output.memory}, end);
  release_successors(node, end, choice);
}

template <class Rules, class Record>
ScheduleFigures ListScheduler<Rules, Record>::run(const ScheduleChoice& choice) {
  supply_constants();
  if (!s_.failed()) prefetch();
  if (choice.dispatch == DispatchRule::rank) {
    for (const int node : choice.layer_offset.empty() ? t_.default_sequence : s_.sequence) {
      if (s_.failed()) break;
      place(node, choice);
    }
  } else {
    for (int node = 0; node < t_.node_count; ++node) {
      if (s_.waiting[node] == 0) make_ready(node, choice);
    }
    while (!s_.failed() && !s_.ready.empty()) place(s_.ready.take(s_.core_idle), choice);
  }
  ScheduleFigures figures;
  if (s_.failed()) return figures;
  figures.feasible = true;
  figures.latency =
      std::max(s_.latest_transfer, *std::max_element(s_.core_idle.begin(), s_.core_idle.end()));
  for (const double term : s_.energy) figures.energy += term;
  return figures;
}

}  // namespace zz::core
