#include "core/multicore/schedule/schedule_evaluation.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace zz::core {
namespace {

void fill_in(Schedule& schedule) {
  const ComputationNodeGraph& graph = *schedule.graph;
  for (ScheduledNode& scheduled : schedule.nodes) {
    scheduled.layer = graph.layer_id(scheduled.node);
    scheduled.sub_id = graph.nodes[scheduled.node].sub_id;
  }
  for (Transfer& transfer : schedule.transfers) transfer.bits = graph.tensors[transfer.tensor].bits;
  for (Removal& removal : schedule.removals) removal.bits = graph.tensors[removal.tensor].bits;
}

/// Cycles in which every unit of the accelerator would be busy with the work of the graph.
double ideal_cycle(const Schedule& schedule) {
  double operations = 0;
  for (const CutLayer& layer : schedule.graph->layers)
    operations += static_cast<double>(layer.layer->mac_count());
  double units = 0;
  for (const auto& core : schedule.accelerator->cores)
    units += static_cast<double>(core->array.unit_count());
  return units > 0 ? operations / units : 0;
}

/// The sums of the costs of the nodes, and what deviates in them.
void add_nodes(const Schedule& schedule, Evaluation& evaluation) {
  std::map<int, double> cycles;
  std::set<const Evaluation*> known;
  for (const ScheduledNode& scheduled : schedule.nodes) {
    const CoreCost* cost = schedule.costs->find(schedule.graph->nodes[scheduled.node], scheduled.core);
    if (cost != nullptr && cost->evaluation != nullptr) {
      evaluation.mac_energy += cost->evaluation->mac_energy;
      cycles[scheduled.core] += cost->evaluation->ideal_temporal_cycle;
      const auto& deviations = cost->evaluation->deviations;
      if (known.insert(cost->evaluation.get()).second)
        evaluation.deviations.insert(evaluation.deviations.end(), deviations.begin(), deviations.end());
    } else {
      cycles[scheduled.core] += scheduled.end - scheduled.start;
    }
  }
  for (const auto& [core, busy] : cycles)
    evaluation.ideal_temporal_cycle = std::max(evaluation.ideal_temporal_cycle, busy);
}

}  // namespace

Evaluation schedule_evaluation(Schedule schedule) {
  Evaluation evaluation;
  if (schedule.graph != nullptr) {
    fill_in(schedule);
    for (const CutLayer& layer : schedule.graph->layers) evaluation.layer_ids.push_back(layer.layer->id);
    if (schedule.accelerator != nullptr) evaluation.ideal_cycle = ideal_cycle(schedule);
    if (schedule.costs != nullptr) add_nodes(schedule, evaluation);
  }
  evaluation.energy_total = schedule.energy;
  evaluation.mem_energy = schedule.energy - evaluation.mac_energy;
  evaluation.latency_total0 = evaluation.latency_total1 = evaluation.latency_total2 = schedule.latency;
  evaluation.schedule = std::make_shared<const Schedule>(std::move(schedule));
  return evaluation;
}

}  // namespace zz::core
