#include "core/multicore/search/detail/plan_walks.hpp"

#include <utility>

namespace zz::core {

void step(std::vector<PlanWalk>& walks, std::vector<Plan>& proposals, const std::vector<double>& worse,
          Objective objective, const EvaluateTasks& evaluate) {
  std::vector<PlanTask> tasks(walks.size());
  for (std::size_t i = 0; i < walks.size(); ++i) {
    tasks[i].plan = &proposals[i];
    tasks[i].wanted_below = walks[i].value * (1 + worse[i]);
    tasks[i].prepared = walks[i].prepared;
  }
  evaluate(tasks);
  for (std::size_t i = 0; i < walks.size(); ++i) {
    if (!tasks[i].figures.feasible) continue;
    const double now = value_of(objective, tasks[i].figures);
    if (now >= tasks[i].wanted_below && now > walks[i].value) continue;
    walks[i] = {proposals[i], now, std::move(tasks[i].prepared)};
  }
}

void anneal(std::vector<PlanWalk>& walks, const Annealing& annealing) {
  if (walks.empty()) return;
  std::vector<Plan> proposals(walks.size());
  std::vector<double> worse(walks.size());
  Exchanges exchanges(annealing.exchanges);
  anneal(annealing.cooling, annealing.next_progress, [&](double progress, double temperature) {
    for (std::size_t i = 0; i < walks.size(); ++i)
      annealing.propose(i, progress, proposals[i] = walks[i].plan);
    for (std::size_t i = 0; i < walks.size(); ++i)
      worse[i] = largest_rise(temperature, annealing.chance(i));
    step(walks, proposals, worse, annealing.objective, annealing.evaluate);
    exchanges.after_step(
        progress, walks, [](const PlanWalk& a, const PlanWalk& b) { return a.value < b.value; },
        [](PlanWalk& worst, const PlanWalk& best) { worst = best; });
  });
}

}  // namespace zz::core
