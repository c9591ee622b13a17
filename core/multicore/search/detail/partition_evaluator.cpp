#include "core/multicore/search/detail/partition_evaluator.hpp"

#include <algorithm>
#include <map>

#include "core/base/diagnostics.hpp"
#include "core/multicore/search/schedule_bound.hpp"

namespace zz::core {

void PartitionEvaluator::evaluate(std::vector<Task>& tasks, Objective objective, Costs costs) {
  struct Made {
    std::shared_ptr<const ComputationNodeGraph> graph;
    std::vector<OperandBits> needs;
  };
  std::vector<Made> made(tasks.size());
  parallel_(tasks.size(), [&](std::size_t i) {
    Task& task = tasks[i];
    if (task.prepared && task.prepared->cuts == task.choice->cuts) return;
    task.prepared = std::make_shared<PreparedPartition>();
    task.prepared->cuts = task.choice->cuts;
    try {
      made[i].graph = graphs_.graph(task.choice->cuts, samples_);
      made[i].needs = capacity_needs(*made[i].graph, Rules{});
    } catch (const InputError&) {
      made[i].graph = nullptr;
    }
  });

  std::vector<CutKey> missing;
  std::vector<std::vector<std::shared_ptr<const Layer>>> pieces;
  std::vector<std::vector<CutPrice>> rows(tasks.size());
  const auto enough = [&](const CutPrice* known) {
    return known != nullptr && (costs == Costs::first || known->settled());
  };
  for (const bool ask : {true, false}) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (!made[i].graph) continue;
      for (std::size_t layer = 0; layer < made[i].needs.size(); ++layer) {
        const int of_nodes = graphs_.cut_of_nodes(static_cast<int>(layer), tasks[i].choice->cuts[layer]);
        CutKey cut{static_cast<int>(layer), of_nodes, made[i].needs[layer]};
        const CutPrice* known = costs_.find(cut);
        if (!ask) {
          rows[i].push_back(*known);
        } else if (!enough(known)) {
          missing.push_back(std::move(cut));
          pieces.push_back(node_pieces(made[i].graph->layers[layer]));
        }
      }
    }
    if (!ask || missing.empty()) continue;
    if (costs == Costs::first)
      costs_.ask(missing, pieces);
    else
      costs_.settle(missing, pieces);
  }

  parallel_(tasks.size(), [&](std::size_t i) {
    Task& task = tasks[i];
    PreparedPartition& prepared = *task.prepared;
    const bool runs =
        std::none_of(rows[i].begin(), rows[i].end(), [](const auto& row) { return row.costs->on.empty(); });
    if (made[i].graph && runs) {
      auto table = std::make_shared<CoreCosts>();
      for (std::size_t layer = 0; layer < rows[i].size(); ++layer) {
        const CutPrice& row = rows[i][layer];
        table->layers.push_back(with_all_cores(
            *row.costs, cores_with_costs(*graphs_.layers()[layer], costs_.kinds(), *row.costs)));
        prepared.settled = prepared.settled && row.settled();
      }
      prepared.problem = std::make_shared<const ScheduleProblem>(accelerator_, made[i].graph, table,
                                                                 ScheduleOptions{}, routes_);
    }
    if (!prepared.problem) return;
    ScheduleChoice choice = task.choice->order;
    choice.cores = cores_of(*task.choice, *prepared.problem);
    choice.period = period_;
    const AllocationBound bound = allocation_bound(*prepared.problem, choice.cores);
    if (value_of(objective, bound.energy, bound.latency) >= task.wanted_below) return;
    if (!prepared.scheduler) prepared.scheduler.emplace(prepared.problem);
    task.figures = prepared.scheduler->evaluate(choice);
    task.resident = prepared.scheduler->resident();
    task.scheduled = true;
  });
  for (const Task& task : tasks)
    if (!routes_ && task.prepared && task.prepared->problem)
      routes_ = task.prepared->problem->tables().routes;
}

}  // namespace zz::core
