#include "core/multicore/schedule/detail/list_scheduler.hpp"

#include <algorithm>
#include <limits>

#include "core/base/interruption.hpp"
#include "core/multicore/schedule/detail/steady_state.hpp"

namespace zz::core {

ScheduleFigures ListScheduler::make_schedule(const ScheduleChoice& choice) {
  supply_constants();
  if (state_.repeats) keep_resident_layers(state_, choice.resident);
  if (!state_.failed()) supply_resident();
  if (!state_.failed()) prefetch();
  if (choice.dispatch == DispatchRule::rank) {
    // The sequence follows from the ranks alone.
    for (const int node : state_.own_sequence ? state_.sequence : tables_.default_sequence) {
      if (state_.failed()) break;
      schedule_node(node, choice);
    }
  } else {
    for (int node = 0; node < tables_.node_count; ++node) {
      if (state_.waiting[node] == 0) make_ready(node, choice);
    }
    while (!state_.failed() && !state_.ready.empty()) {
      tables_.for_lockstep(state_.ready.take(state_.core_idle), [&](int node) {
        if (!state_.failed()) schedule_node(node, choice);
      });
    }
  }
  ScheduleFigures figures;
  if (state_.failed()) return figures;
  figures.feasible = true;
  figures.latency =
      std::max(state_.latest_transfer, *std::max_element(state_.core_idle.begin(), state_.core_idle.end()));
  for (const double term : state_.energy) figures.energy += term;
  if (!state_.repeats) return figures;
  if (choice.period > 0) {
    find_collision(state_, choice.period, figures.latency);
    if (state_.failed()) return {};
  }
  figures.period = choice.period > 0 ? choice.period : least_period(repeated_uses(state_, figures.latency));
  return figures;
}

/// Calls take(node, need) for the constants that stay.
template <class Take>
void ListScheduler::for_resident(Take take) {
  for (const int layer : state_.resident_layers) {
    const CutLayer& of_graph = tables_.graph->layers[layer];
    for (int node = of_graph.first_node; node < of_graph.first_node + of_graph.node_count; ++node) {
      for (const NeededTensor& need : tables_.needs[node]) {
        if (!state_.failed() && state_.resident[need.tensor]) take(node, need);
      }
    }
  }
}

/// In the steady state the constants that stay are on their cores from the beginning.
void ListScheduler::supply_resident() {
  for_resident([&](int node, const NeededTensor& need) {
    const int core = state_.group_core[tables_.group_of[node]];
    add_copy(need.tensor, tables_.top(core, need.memory_operand), 0, 0);
  });
}

void ListScheduler::fill(const ScheduleChoice& choice) {
  supply_constants();
  keep_resident_layers(state_, choice.resident);
  for_resident([&](int node, const NeededTensor& need) {
    const int core = state_.group_core[tables_.group_of[node]];
    fetch_for(node, need, {need.tensor, core, need.memory_operand, tables_.top(core, need.memory_operand)});
  });
}

/// Constants and the network's inputs are in the off-chip memory from the beginning.
void ListScheduler::supply_constants() {
  for (const int tensor : tables_.initial) {
    end_if_interrupted();
    add_copy(tensor, tables_.top(tables_.offchip_core, tables_.tensor_operand[tensor]), 0, 0);
    if (state_.failed()) return;
  }
}

void ListScheduler::prefetch() {
  ++state_.keeping;
  for (const ScheduleProblem::Tables::Prefetch& entry : tables_.prefetches) {
    const int core = state_.group_core[tables_.group_of[entry.node]];
    const bool streamed = tables_.node_cost(entry.node, core).streams(entry.what.operand);
    if (streamed && !rules_.prefetch_unfitting) continue;
    const int memory = tables_.top(core, entry.what.memory_operand);
    fetch_for(entry.node, entry.what, {entry.what.tensor, core, entry.what.memory_operand, memory});
    if (state_.failed()) return;
  }
}

void ListScheduler::make_ready(int node, const ScheduleChoice& choice) {
  if (!state_.window.admits(node)) return;
  double end = 0, path_left = 0;
  tables_.for_lockstep(node, [&](int member) {
    end = std::max(end, state_.predecessors_end[member]);
    if (choice.dispatch == DispatchRule::critical_path)
      path_left = std::max(path_left, state_.path_left[member]);
  });
  const double priority = end - choice.weight * path_left;
  state_.ready.add(node, state_.group_core[tables_.group_of[node]], end, priority);
}

/// Schedules one node whose predecessors are scheduled: clears memories for its streams, fetches what it
/// needs, finds its start, and passes its output on.
void ListScheduler::schedule_node(int node, const ScheduleChoice& choice) {
  end_if_interrupted();
  const int core = state_.group_core[tables_.group_of[node]];
  const NodeCost& cost = tables_.node_cost(node, core);
  if (state_.samples_to_come > 0) {
    const ComputationNodeGraph& graph = *tables_.graph;
    const int begun = graph.sample_of(node) + graph.layers[graph.nodes[node].layer].samples;
    state_.samples_to_come = std::min(state_.samples_to_come, graph.samples - begun);
  }
  state_.failure.node = node;
  state_.failure.core = core;
  const int output_operand = tables_.tensor_operand[tables_.output_of[node]];
  const int holder = cost.streams(0) ? tables_.offchip_core : core;
  const Destination output{tables_.output_of[node], holder, output_operand,
                           tables_.top(holder, output_operand)};
  if (output.memory < 0) {
    state_.failure.memory_operand = output_operand;
    fail(Kind::no_memory, output.tensor, -1);
    return;
  }
  double time = state_.predecessors_end[node];
  if (!choice.back_filling) time = std::max(time, state_.core_idle[core]);
  state_.core_free =
      choice.back_filling ? state_.core_busy[core].first_gap(time, cost.runtime, 1).start : time;
  keep_needs(node, cost);
  if (cost.streamed) time = clear_for_streams(core, cost, time);
  if (!state_.failed()) time = fetch_needs(node, core, cost, time);
  if (state_.failed()) return;
  if (!rules_.streamed_inputs_anywhere) time = supply_streams(node, cost, time);
  const bool exists =
      !rules_.partial_sums_unordered && !state_.failed() && state_.copies.first_of(output.tensor) >= 0;
  if (exists) time = take_over_partial_sum(output, time);
  if (state_.failed()) return;
  double start = 0, end = 0;
  if (rules_.whole_elements_streamed) {
    start = make_space(output, reserve_whole_elements(node, core, cost, time));
    end = start + cost.runtime;
  } else {
    start = find_start(output, exists, core, cost, time, choice.back_filling);
    end = state_.stream_end;
  }
  if (state_.failed()) return;
  produce(output, start, end);
  if (state_.failed()) return;
  if (!rules_.whole_elements_streamed && cost.streamed) occupy_streams(node, core, cost);
  if (record_) record_->node(node, core, start, end);
  ++state_.scheduled;
  state_.node_end[node] = end;
  occupy_core(core, start, end, choice.back_filling);
  energy(EnergyTerm::node_onchip) += cost.onchip_energy;
  energy(EnergyTerm::node_offchip_memory) += cost.offchip_energy;
  count_uses(node, core, cost, end);
  if (tables_.writes_result[node]) write_result({output.tensor, core, output_operand, output.memory}, end);
  release_successors(node, end, choice);
}

/// Marks what must not be evicted while the node is prepared.
void ListScheduler::keep_needs(int node, const NodeCost& cost) {
  ++state_.keeping;
  for (const NeededTensor& need : tables_.needs[node]) {
    if (!cost.streams(need.operand)) state_.kept[need.tensor] = state_.keeping;
  }
  if (!rules_.partial_sums_unordered) state_.kept[tables_.output_of[node]] = state_.keeping;
}

double ListScheduler::fetch_needs(int node, int core, const NodeCost& cost, double time) {
  for (const NeededTensor& need : tables_.needs[node]) {
    if (cost.streams(need.operand)) continue;
    const int memory = tables_.top(core, need.memory_operand);
    time = std::max(time, fetch_for(node, need, {need.tensor, core, need.memory_operand, memory}));
    if (state_.failed()) return time;
  }
  return time;
}

/// Other nodes have added to the output: it has to come to this core, and older copies are out of date.
double ListScheduler::take_over_partial_sum(const Destination& output, double time) {
  time = std::max(time, fetch(output));
  if (state_.failed()) return time;
  for (int copy = state_.copies.first_of(output.tensor); copy >= 0;) {
    const int next = state_.copies[copy].next_of_tensor;
    if (state_.copies[copy].memory != output.memory) {
      release(copy, output.memory_operand, 0, false, RemovalCause::moved, by_sender);
    }
    copy = next;
  }
  return time;
}

/// The first cycle from `time` on at which the core and space for the output are free together, and streams
/// have enough of their links to begin.
double ListScheduler::find_start(const Destination& output, bool exists, int core, const NodeCost& cost,
                                 double time, bool back_filling) {
  for (;;) {
    double start = time;
    int link = -1;  // for which the node had to wait, so that it did not fit into a gap of its core
    TimeWindow gap{start, std::numeric_limits<double>::infinity()};
    do {
      if (back_filling || state_.repeats) gap = state_.core_busy[core].first_gap(start, cost.runtime, 1);
      if (beyond_period(time, gap.start, core, link)) return start;
      start = plan_streams(core, cost, gap.start);
      link = state_.fullest_link;
      if (state_.failed() || beyond_period(time, start, core, link)) return start;
      // Links are at fault where streams take longer than the cost of the node says.
      const bool too_long = cost.runtime > state_.given_period;
      if (beyond_period(start, state_.stream_end, core, too_long ? -1 : link)) return start;
      if (state_.stream_end > gap.end) start = gap.end;
    } while (state_.stream_end > gap.end);
    if (!exists) time = make_space(output, start);
    if (state_.failed() || exists || time == start) return start;
  }
}

void ListScheduler::produce(const Destination& output, double start, double end) {
  const int copy = add_copy(output.tensor, output.memory, start, end);
  if (rules_.partial_sums_unordered) return;
  state_.copies[copy].available_from = end;
  state_.copies[copy].used_until = std::max(state_.copies[copy].used_until, end);
}

void ListScheduler::occupy_core(int core, double start, double end, bool back_filling) {
  state_.core_idle[core] = std::max(state_.core_idle[core], end);
  if (back_filling || state_.repeats) state_.core_busy[core].occupy(start, end, 1);
}

/// Counts what the node has read. A tensor that nobody reads any more leaves every memory.
void ListScheduler::count_uses(int node, int core, const NodeCost& cost, double end) {
  const auto counts = [&](const NeededTensor& need) {
    return !rules_.streamed_inputs_anywhere || !cost.streams(need.operand);
  };
  for (const NeededTensor& need : tables_.needs[node]) {
    if (!counts(need)) continue;
    state_.uses.use(need.tensor, need.reader);
    if (rules_.memory_free_at_once) continue;
    const int from = cost.streams(need.operand) ? tables_.offchip_core : core;
    const int copy = state_.copies.find(need.tensor, tables_.top(from, need.memory_operand));
    if (copy >= 0) state_.copies[copy].used_until = std::max(state_.copies[copy].used_until, end);
  }
  for (const NeededTensor& need : tables_.needs[node]) {
    if (!counts(need) || state_.uses.total(need.tensor) != 0) continue;
    if (rules_.memory_free_at_once) {
      drop_unused_at_once(need.tensor, end);
    } else {
      drop_unused(need.tensor);
    }
  }
}

void ListScheduler::drop_unused(int tensor) {
  state_.holders.clear();
  for (int copy = state_.copies.first_of(tensor); copy >= 0; copy = state_.copies[copy].next_of_tensor)
    state_.holders.push_back(copy);
  for (const int copy : state_.holders) {
    const bool offchip = is_offchip(state_.copies[copy].memory);
    if ((offchip && tables_.is_result[tensor]) || state_.stays(tensor, offchip)) continue;
    release(copy, tables_.tensor_operand[tensor], 0, false, RemovalCause::unused, by_sender);
  }
}

/// Stream: from each memory when the last of the consumers on its cores has ended.
void ListScheduler::drop_unused_at_once(int tensor, double end) {
  state_.holders.clear();
  for (int copy = state_.copies.first_of(tensor); copy >= 0; copy = state_.copies[copy].next_of_tensor)
    state_.holders.push_back(state_.copies[copy].memory);
  std::sort(state_.holders.begin(), state_.holders.end());
  for (const int memory : state_.holders) {
    const std::vector<int>& owners = tables_.accelerator->top_memories[memory].cores;
    double last = -1;
    for (const int consumer : tables_.consumers[tensor]) {
      const int core = state_.group_core[tables_.group_of[consumer]];
      if (is_offchip(memory) || std::find(owners.begin(), owners.end(), core) != owners.end()) {
        last = std::max(last, state_.node_end[consumer]);
      }
    }
    remove_at_once(tensor, owners.front(), tables_.tensor_operand[tensor], last < 0 ? end : last, false,
                   RemovalCause::unused, by_sender);
  }
}

/// A result of the network goes off-chip at once. It stays on the core, too, while that reads it.
void ListScheduler::write_result(const Destination& output, double end) {
  if (rules_.final_outputs_leave_at_once) {
    remove_at_once(output.tensor, output.core, output.memory_operand, end, true, RemovalCause::final_output,
                   EnergyTerm::final_output_memory);
    return;
  }
  if (is_offchip(output.memory)) return;
  const int copy = state_.copies.find(output.tensor, output.memory);
  const int priority = state_.copies[copy].priority;
  if (priority >= 0 && state_.uses.at(priority) > 0) {
    const int offchip = tables_.top(tables_.offchip_core, output.memory_operand);
    transfer({output.tensor, tables_.offchip_core, output.memory_operand, offchip}, copy, end,
             EnergyTerm::final_output_memory);
  } else {
    release(copy, output.memory_operand, end, true, RemovalCause::final_output,
            EnergyTerm::final_output_memory);
  }
}

void ListScheduler::release_successors(int node, double end, const ScheduleChoice& choice) {
  const bool by_times = choice.dispatch != DispatchRule::rank;
  for (const int successor : tables_.successors[node]) {
    double& latest = state_.predecessors_end[successor];
    latest = std::max(latest, end);
    const int waits = tables_.first_in_lockstep(successor);
    if (by_times && --state_.waiting[waits] == 0) make_ready(waits, choice);
  }
  if (by_times) state_.window.placed(node, [&](int released) { make_ready(released, choice); });
}

}  // namespace zz::core
