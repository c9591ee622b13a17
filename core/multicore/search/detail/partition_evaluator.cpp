#include "core/multicore/search/detail/partition_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/diagnostics.hpp"
#include "core/multicore/bound/schedule_bound.hpp"

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
    choice.period = steady_state_ ? ScheduleChoice::least_period : 0;
    const AllocationBound bound = allocation_bound(*prepared.problem, choice.cores);
    if (value_of(objective, bound.energy, bound.latency) >= task.wanted_below) return;
    if (!prepared.scheduler) prepared.scheduler.emplace(prepared.problem);
    task.figures = prepared.scheduler->evaluate(choice);
    task.resident = prepared.scheduler->resident();
    task.period = choice.period;
    task.scheduled = true;
    if (steady_state_ && task.figures.feasible)
      shorten_period(task, std::move(choice), std::ceil(bound.latency) - 1);
  });
  for (const Task& task : tasks)
    if (!routes_ && task.prepared && task.prepared->problem)
      routes_ = task.prepared->problem->tables().routes;
}

/// Places the nodes of a choice for shorter and shorter periods, the first one short enough to win.
void PartitionEvaluator::shorten_period(Task& task, ScheduleChoice choice, double least) {
  constexpr int most_tries = 3;
  for (int tries = 0; tries < most_tries && least + 1 < task.figures.period; ++tries) {
    const bool wins = task.figures.period < task.wanted_below;
    choice.period = std::floor((least + task.figures.period) / 2);
    const double known = task.choice->order.period;
    if (tries == 0 && known > least && known < task.figures.period)
      choice.period = known;
    else if (!wins)
      choice.period = std::ceil(task.wanted_below) - 1;
    if (choice.period <= least) return;
    const ScheduleFigures figures = task.prepared->scheduler->evaluate(choice);
    if (figures.feasible && figures.period < task.figures.period) {
      task.figures = figures;
      task.period = choice.period;
    } else if (!wins) {
      return;
    } else {
      least = std::max(least, choice.period);
    }
  }
}

}  // namespace zz::core
