#include "core/multicore/search/detail/menu_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/multicore/bound/schedule_bound.hpp"

namespace zz::core {
namespace {

/// Schedules plans of one problem, unless a bound says that they cannot win. [one thread]
class PlanScheduler {
 public:
  PlanScheduler(std::shared_ptr<const ScheduleProblem> problem, Objective objective, bool steady_state,
                bool settled)
      : problem_(std::move(problem)),
        scheduler_(problem_),
        objective_(objective),
        steady_state_(steady_state),
        settled_(settled) {}

  PlanFigures evaluate(const Plan& plan, double wanted_below) {
    PlanFigures figures;
    ScheduleChoice choice = plan.order;
    choice.cores = cores_of(plan, *problem_);
    choice.period = steady_state_ ? ScheduleChoice::least_period : 0;
    const AllocationBound bound = allocation_bound(*problem_, choice.cores);
    figures.final = false;
    if (value_of(objective_, bound.energy, bound.latency) >= wanted_below) return figures;
    static_cast<ScheduleFigures&>(figures) = scheduler_.evaluate(choice);
    figures.scheduled = true;
    figures.final = settled_ && !steady_state_;
    figures.resident = scheduler_.resident();
    figures.period_of_choice = choice.period;
    if (steady_state_ && figures.feasible)
      shorten_period(figures, std::move(choice), plan.order.period, std::ceil(bound.latency) - 1,
                     wanted_below);
    return figures;
  }

 private:
  /// Places the nodes for shorter and shorter periods, the first one that of the plan, or short enough to
  /// win.
  void shorten_period(PlanFigures& figures, ScheduleChoice choice, double known, double least,
                      double wanted_below) {
    constexpr int most_tries = 3;
    for (int tries = 0; tries < most_tries && least + 1 < figures.period; ++tries) {
      const bool wins = figures.period < wanted_below;
      choice.period = std::floor((least + figures.period) / 2);
      if (tries == 0 && known > least && known < figures.period)
        choice.period = known;
      else if (!wins)
        choice.period = std::ceil(wanted_below) - 1;
      if (choice.period <= least) return;
      const ScheduleFigures shorter = scheduler_.evaluate(choice);
      if (shorter.feasible && shorter.period < figures.period) {
        static_cast<ScheduleFigures&>(figures) = shorter;
        figures.period_of_choice = choice.period;
      } else if (!wins) {
        return;
      } else {
        least = std::max(least, choice.period);
      }
    }
  }

  std::shared_ptr<const ScheduleProblem> problem_;
  Scheduler scheduler_;
  Objective objective_;
  bool steady_state_, settled_;
};

}  // namespace

void MenuCuts::prepare(const std::vector<PlanTask*>& tasks, Costs costs) {
  std::vector<Made> made;
  for (PlanTask* task : tasks)
    if (!task->prepared || task->prepared->cuts != task->plan->cuts) made.push_back({task});
  parallel_(made.size(), [&](std::size_t i) { make_graph(made[i]); });
  ask_costs(made, costs);
  parallel_(made.size(), [&](std::size_t i) { made[i].task->prepared = prepared(made[i]); });
  for (const Made& entry : made)
    if (!routes_ && entry.task->prepared->problem) routes_ = entry.task->prepared->problem->tables().routes;
}

void MenuCuts::make_graph(Made& made) {
  try {
    made.graph = graphs_.graph(made.task->plan->cuts, samples_);
    made.needs = capacity_needs(*made.graph, Rules{});
  } catch (const InputError&) {
    made.graph = nullptr;
  }
}

void MenuCuts::ask_costs(std::vector<Made>& made, Costs costs) {
  std::vector<CutKey> missing;
  std::vector<std::vector<std::shared_ptr<const Layer>>> pieces;
  const auto enough = [&](const CutPrice* known) {
    return known != nullptr && (costs == Costs::first || known->settled());
  };
  for (const bool ask : {true, false}) {
    for (Made& entry : made) {
      if (!entry.graph) continue;
      for (std::size_t layer = 0; layer < entry.needs.size(); ++layer) {
        const int cut = entry.task->plan->cuts[layer];
        CutKey key{static_cast<int>(layer), graphs_.cut_of_nodes(static_cast<int>(layer), cut),
                   entry.needs[layer]};
        const CutPrice* known = costs_.find(key);
        if (!ask) {
          entry.rows.push_back(*known);
        } else if (!enough(known)) {
          missing.push_back(std::move(key));
          pieces.push_back(node_pieces(entry.graph->layers[layer]));
        }
      }
    }
    if (!ask || missing.empty()) continue;
    if (costs == Costs::first)
      costs_.ask(missing, pieces);
    else
      costs_.settle(missing, pieces);
  }
}

std::shared_ptr<PreparedCuts> MenuCuts::prepared(const Made& made) const {
  const Partition& cuts = made.task->plan->cuts;
  if (!made.graph || std::any_of(made.rows.begin(), made.rows.end(),
                                 [](const CutPrice& row) { return row.costs->on.empty(); }))
    return std::make_shared<PreparedCuts>(cuts, nullptr, true, nullptr);
  auto table = std::make_shared<CoreCosts>();
  bool settled = true;
  for (std::size_t layer = 0; layer < made.rows.size(); ++layer) {
    const CutPrice& row = made.rows[layer];
    table->layers.push_back(
        with_all_cores(*row.costs, cores_with_costs(*graphs_.layers()[layer], costs_.kinds(), *row.costs)));
    settled = settled && row.settled();
  }
  const auto problem =
      std::make_shared<const ScheduleProblem>(accelerator_, made.graph, table, ScheduleOptions{}, routes_);
  const auto make = [problem, settled, objective = objective_, steady_state = steady_state_] {
    const auto scheduler = std::make_shared<PlanScheduler>(problem, objective, steady_state, settled);
    return [scheduler](const Plan& plan, double wanted_below, std::string&) {
      return scheduler->evaluate(plan, wanted_below);
    };
  };
  return std::make_shared<PreparedCuts>(cuts, problem, settled, make);
}

}  // namespace zz::core
