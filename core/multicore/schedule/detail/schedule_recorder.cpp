#include "core/multicore/schedule/detail/schedule_recorder.hpp"

namespace zz::core {

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
