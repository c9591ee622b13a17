#include "core/multicore/schedule/detail/schedule_state.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace zz::core {
namespace {

std::string layer_text(const Layer& layer) {
  return layer.name.empty() ? fmt::format("layer {}", layer.id)
                            : fmt::format("layer {} '{}'", layer.id, layer.name);
}

std::string tensor_text(const ScheduleProblem::Tables& tables, int tensor) {
  const PieceTensor& entry = tables.graph->tensors[tensor];
  const Layer& layer = *tables.graph->layers[entry.layer].layer;
  return fmt::format("operand {} of node {} of {} ({} bits)", layer.operands[entry.operand].name,
                     tables.graph->nodes[entry.first_node].sub_id, layer_text(layer), entry.bits);
}

std::string memory_text(const ScheduleProblem::Tables& tables, int memory) {
  const TopMemory& entry = tables.accelerator->top_memories[memory];
  return fmt::format("memory '{}' of core {} ({} bits)", entry.name, fmt::join(entry.cores, ", "),
                     entry.size);
}

}  // namespace

std::string to_string(const ScheduleFailure& failure, const ScheduleProblem::Tables& tables) {
  using Kind = ScheduleFailure::Kind;
  if (failure.kind == Kind::none) return "";
  std::string text = "before the first node";
  if (failure.node >= 0) {
    const ComputationNode& node = tables.graph->nodes[failure.node];
    text = fmt::format("node {} of {}", node.sub_id, layer_text(*tables.graph->layers[node.layer].layer));
    if (failure.core >= 0) text += fmt::format(" on core {}", failure.core);
  }
  text += ": ";
  const std::string tensor = failure.tensor < 0 ? "" : tensor_text(tables, failure.tensor);
  const std::string memory = failure.memory < 0 ? "" : memory_text(tables, failure.memory);
  switch (failure.kind) {
    case Kind::tensor_too_large:
      return text + fmt::format("{} is larger than {}; split the layer into smaller nodes{}", tensor,
                                memory, failure.node < 0 ? " or do not prefetch it" : "");
    case Kind::memory_full:
      return text + fmt::format(
                        "{} does not fit into {} beside what the node needs, {} bits are missing; "
                        "split the layer into smaller nodes",
                        tensor, memory, failure.missing);
    case Kind::overflow:
      return text + fmt::format("{} overflows {} at a later time", tensor, memory);
    case Kind::offchip_full:
    case Kind::offchip_uncounted:
      return text +
             fmt::format("{} does not fit into {}, which is the off-chip memory and cannot be relieved",
                         tensor, memory);
    case Kind::no_memory:
      return text + fmt::format("core {} has no memory for operand {}, where {} has to go", failure.core,
                                tables.memory_operands[failure.memory_operand], tensor);
    case Kind::nobody_has_it:
      return text +
             fmt::format("{} is in no memory from which core {} could take it", tensor, failure.core);
    case Kind::no_way:
      return text + fmt::format("there is no way for {} from core {} to {}", tensor, failure.core, memory);
    case Kind::period:
      return fmt::format(
          "repeats that begin every {} cycles collide {}; give a longer 'period', or 'least' for one at "
          "which "
          "they do not",
          failure.missing,
          failure.core >= 0   ? fmt::format("on core {}", failure.core)
          : failure.link >= 0 ? fmt::format("on link {}", failure.link)
                              : "in " + memory);
    case Kind::none:
      break;
  }
  return text;
}

namespace {

/// Ranks by the offsets and slopes of a choice; equal ones in the order of the problem.
void rank_by_layers(const ScheduleProblem::Tables& tables, const ScheduleChoice& choice,
                    std::vector<int>& ranks) {
  const ComputationNodeGraph& graph = *tables.graph;
  std::vector<double> key(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const ComputationNode& node = graph.nodes[i];
    const double slope = choice.layer_slope.empty() ? 0 : choice.layer_slope[node.layer];
    const int pieces = graph.pieces(node.layer);
    key[i] = choice.layer_offset[node.layer] +
             slope * tables.lockstep[node.layer].turn(node.sub_id % pieces) / pieces;
  }
  std::vector<int> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return std::tuple(key[a], tables.rank_of[a]) < std::tuple(key[b], tables.rank_of[b]);
  });
  ranks.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<int>(i);
}

}  // namespace

ScheduleState::ScheduleState(const ScheduleProblem::Tables& problem)
    : tables(problem), uses(problem), kept(problem.tensor_count, 0) {
  group_core.resize(tables.groups.size());
  usage.resize(tables.memory_count);
  links.resize(tables.accelerator->links.size());
  core_busy.resize(tables.core_count);
}

void ScheduleState::reset(const ScheduleChoice& choice, bool exact, double horizon) {
  for (std::size_t group = 0; group < group_core.size(); ++group) {
    const NodeGroup& entry = tables.groups[group];
    group_core[group] = entry.gene < 0 ? entry.core : choice.cores[entry.gene];
  }
  node_end.assign(tables.node_count, -1);
  predecessors_end.assign(tables.node_count, 0);
  core_idle.assign(tables.core_count, 0);
  repeats = choice.period != 0;
  given_period = std::max(0.0, choice.period);
  resident_layers.clear();
  resident.assign(repeats ? tables.tensor_count : 0, 0);
  if (choice.back_filling || repeats) {
    for (Occupancy& core : core_busy) core.reset(1, std::max(0.0, choice.period), horizon);
  }
  for (int memory = 0; memory < tables.memory_count; ++memory)
    usage[memory].reset(tables.memories[memory].size);
  for (std::size_t link = 0; link < links.size(); ++link) {
    links[link].reset(tables.accelerator->links[link].bandwidth, std::max(0.0, choice.period), horizon);
  }
  copies.reset(tables.tensor_count, tables.memory_count);
  uses.reset(group_core);
  const Rules& rules = tables.options.rules;
  if (rules.repeated_transfers_free || rules.whole_elements_streamed) carried.reset(tables.tensor_count);
  if (!rules.repeated_transfers_free) transfers.reset(tables.tensor_count);
  energy.fill(0);
  latest_transfer = core_free = 0;
  scheduled = 0;
  in_segments = !choice.segments.empty();
  samples_to_come = in_segments ? 0 : tables.graph->samples - 1;
  exact_offchip = exact;
  offchip_sum = 0;
  failure = {};
  receivers.clear();

  const bool own_ranks = !choice.layer_offset.empty();
  if (own_ranks) rank_by_layers(tables, choice, ranks);
  window.reset(*tables.graph, choice);
  own_sequence = own_ranks || window.limits();
  if (choice.dispatch == DispatchRule::rank) {
    if (own_sequence) order_by_rank(tables, own_ranks ? ranks : tables.rank_of, window, waiting, sequence);
    return;
  }
  waiting = tables.predecessor_count;
  ready.reset(choice.dispatch, tables.core_count, own_ranks ? ranks : tables.rank_of);
  if (choice.dispatch != DispatchRule::critical_path) return;
  path_left.assign(tables.node_count, 0);
  for (auto node = tables.default_sequence.rbegin(); node != tables.default_sequence.rend(); ++node) {
    // A path stays in its samples: that others wait for the same constants makes none more urgent.
    const ComputationNodeGraph& graph = *tables.graph;
    const int next_sample = graph.sample_of(*node) + graph.layers[graph.nodes[*node].layer].samples;
    double longest = 0;
    for (const int successor : tables.successors[*node])
      if (graph.sample_of(successor) < next_sample) longest = std::max(longest, path_left[successor]);
    path_left[*node] = longest + tables.node_cost(*node, group_core[tables.group_of[*node]]).runtime;
  }
}

void ScheduleRecorder::transfer(const ScheduleState& state, int tensor, int sender, int receiver,
                                int memory_operand, int receiver_memory, double start, double end,
                                double link_energy, double memory_energy, EnergyTerm purpose) {
  Transfer& entry = schedule_.transfers.emplace_back();
  entry.tensor = tensor;
  entry.sender = sender;
  entry.receiver = receiver;
  entry.receiver_memory = receiver_memory;
  entry.receiver_operand = state.tables.memory_operands[memory_operand];
  entry.start = start;
  entry.end = end;
  entry.link_energy = link_energy;
  entry.memory_energy = memory_energy;
  entry.links = state.tables.route(sender, receiver).links;
  entry.own = state.own;
  entry.nodes_before = state.scheduled;
  entry.purpose = purpose;
}

void ScheduleRecorder::block(const ScheduleState& state, int node, int core, const NodeCost& cost,
                             double start, double end) {
  StreamBlock& entry = schedule_.blocks.emplace_back();
  entry.node = node;
  entry.operands = cost.cost->streamed;
  entry.core = core;
  entry.start = start;
  entry.end = end;
  entry.read_demand = cost.read_demand;
  entry.write_demand = cost.write_demand;
  entry.nodes_before = state.scheduled;
}

void ScheduleRecorder::removal(const ScheduleState& state, RemovalCause cause, int tensor, int core,
                               int memory_operand, int memory, double time, bool written_back,
                               double write_back_end) {
  Removal& entry = schedule_.removals.emplace_back();
  entry.cause = cause;
  entry.tensor = tensor;
  entry.core = core;
  entry.memory = memory;
  entry.operand = state.tables.memory_operands[memory_operand];
  entry.time = time;
  entry.written_back = written_back;
  entry.write_back_end = write_back_end;
  entry.nodes_before = state.scheduled;
}

void ScheduleRecorder::finish(const ScheduleState& state, const ScheduleChoice& choice,
                              const ScheduleFigures& figures) {
  const ScheduleProblem::Tables& tables = state.tables;
  schedule_.accelerator = tables.accelerator;
  schedule_.graph = tables.graph;
  schedule_.costs = tables.costs;
  schedule_.latency = figures.latency;
  schedule_.energy = figures.energy;
  schedule_.energy_terms = state.energy;
  for (std::size_t i = 0; i < tables.genes.size(); ++i) {
    const Gene& gene = tables.genes[i];
    schedule_.genes.emplace_back(tables.graph->layers[gene.layer].layer->id, gene.group);
    schedule_.allocation.push_back(choice.cores[i]);
  }
  // Stream's rules of schedules hold together or not at all.
  schedule_.rules = tables.options.rules.starts_before_arrival ? "stream-0.0.8" : "";
  schedule_.dispatch = dispatch_name(choice.dispatch);
  if (choice.dispatch == DispatchRule::critical_path) schedule_.critical_path_weight = choice.weight;
  schedule_.back_filling = choice.back_filling;
  schedule_.samples_at_once = choice.samples_at_once;
  schedule_.segments = choice.segments;
  schedule_.period = figures.period;
  schedule_.resident = state.resident_layers;
  for (std::size_t layer = 0; layer < choice.layer_offset.size(); ++layer) {
    schedule_.layer_ranks.emplace_back(choice.layer_offset[layer],
                                       choice.layer_slope.empty() ? 0 : choice.layer_slope[layer]);
  }
  for (int memory = 0; memory < tables.memory_count; ++memory) {
    const MemoryUsage& usage = state.usage[memory];
    MemoryTrace& trace = schedule_.memory.emplace_back();
    trace.memory = memory;
    for (std::size_t i = 0; i < usage.times().size(); ++i) {
      const auto bits = static_cast<std::int64_t>(usage.bits()[i]);
      trace.bits.emplace_back(usage.times()[i], bits);
      if (i == 0 || bits > trace.peak) {
        trace.peak = bits;
        trace.peak_time = usage.times()[i];
      }
      trace.last = bits;
    }
  }
}

}  // namespace zz::core
