#include "core/search/optimal/free_cut_energy.hpp"

#include <algorithm>
#include <memory>

#include "core/search/optimal/label_search.hpp"
#include "core/search/optimal/link_energy.hpp"

namespace zz::core {

LinkCosts energy_costs(const SearchProblem& problem) {
  LinkEnergy energy(problem.tables, problem.space, problem.given.options.same_data_free);
  const std::size_t full = problem.space.lattice().full();
  LinkCosts costs;
  costs.constant = {energy.constant};
  for (int operand = 0; operand < problem.space.operands(); ++operand) {
    const std::size_t levels = energy.links[operand].size();
    costs.endings[operand].resize(levels);
    double rest = 0;
    for (std::size_t closed = levels; closed-- > 0;) {
      const bool fits = problem.fit.fits(operand, static_cast<int>(closed), full, false);
      if (!fits) rest = std::numeric_limits<double>::infinity();
      costs.endings[operand][closed] = {rest};
      rest += energy.links[operand][closed][full];
    }
  }
  costs.links = std::make_shared<const LinkCosts::Links>(std::move(energy.links));
  return costs;
}

Certificate find_least_energy(const SearchProblem& problem, const SearchLimits& limits, double cutoff) {
  const Stopwatch stopwatch;
  const LinkCosts costs = energy_costs(problem);
  const RemainingCost remaining(problem.space, problem.fit, costs);
  const FirstSum figure;
  LabelSearch search(problem.space, problem.fit, costs, remaining, figure, nullptr);
  Certificate best;
  best.lower_bound = search.bound();
  constexpr std::size_t labels_between_looks = 4096;
  for (;;) {
    const LabelSearch::Step step = search.advance(labels_between_looks, cutoff);
    best.lower_bound = std::min(search.bound(), cutoff);
    if (step == LabelSearch::Step::complete) {
      best.mapping = search.result();
      best.value = problem.value(best.mapping, Objective::energy);
      best.lower_bound = std::min(search.result_figure(), best.value);
      break;
    }
    if (step == LabelSearch::Step::exhausted) break;
    if (limits.stop(stopwatch.seconds(), search.memory_bytes())) break;
  }
  best.states = search.visited();
  if (best.found() && best.value <= best.lower_bound * (1 + rounding_tolerance))
    best.lower_bound = best.value;
  return best;
}

}  // namespace zz::core
