#include "core/multicore/search/order_annealing.hpp"

#include <algorithm>
#include <cmath>

#include "core/multicore/search/detail/search_space.hpp"

namespace zz::core {
namespace {

constexpr int walks = 8;
constexpr double hot = 0.02, cold = 0.0002;  // of the latency: how much worse a step may be, typically
constexpr int exchanges = 12;                // how often the worst walk is replaced by the best

struct Walk {
  ScheduleChoice choice;
  ScheduleFigures figures;
};

double temperature(double progress) { return hot * std::pow(cold / hot, progress); }

bool better(const ScheduleFigures& a, const ScheduleFigures& b) {
  if (a.feasible != b.feasible) return a.feasible;
  return a.latency < b.latency;
}

}  // namespace

void anneal_orders(const SearchSpace& space, const std::vector<ScheduleChoice>& starts, std::int64_t budget,
                   RandomNumbers& random, ChoiceEvaluator& evaluator) {
  if (starts.empty() || budget <= 0) return;
  ChoiceMoves moves(space, random);
  std::vector<ScheduleChoice> proposals;
  for (int i = 0; i < walks; ++i) proposals.push_back(starts[i % starts.size()]);
  std::vector<Walk> states(walks);
  const std::int64_t begin = evaluator.evaluations();
  std::vector<ScheduleFigures> figures = evaluator.evaluate(proposals);
  for (int i = 0; i < walks; ++i) states[i] = {proposals[i], figures[i]};

  double next_exchange = 1.0 / exchanges;
  // Small spaces run out of new points before the budget is used.
  const std::int64_t most_rounds = 3 * (budget / walks + 1);
  for (std::int64_t round = 0; round < most_rounds && !evaluator.exhausted(); ++round) {
    const double progress =
        std::max(static_cast<double>(evaluator.evaluations() - begin) / static_cast<double>(budget),
                 static_cast<double>(round) / static_cast<double>(most_rounds));
    if (progress >= 1) break;
    for (int i = 0; i < walks; ++i) {
      ScheduleChoice& proposal = proposals[i] = states[i].choice;
      const double kind = random.fraction();
      if (!space.orders || (kind < 0.35 && !proposal.cores.empty())) {
        moves.change_cores(proposal.cores);
      } else if (kind < 0.42) {
        moves.change_dispatch(proposal);
      } else {
        const double reach = 0.3 + 4 * (1 - progress) * random.fraction();
        moves.change_order(proposal, reach);
        if (random.fraction() < 0.3) moves.change_order(proposal, reach);
      }
    }
    figures = evaluator.evaluate(proposals);
    for (int i = 0; i < walks; ++i) {
      Walk& walk = states[i];
      const double chance = random.fraction();
      if (!figures[i].feasible) continue;
      const double rise = walk.figures.feasible ? figures[i].latency / walk.figures.latency - 1 : -1;
      if (rise > 0 && chance >= std::exp(-rise / temperature(progress))) continue;
      walk = {proposals[i], figures[i]};
    }
    if (progress < next_exchange) continue;
    next_exchange += 1.0 / exchanges;
    const auto order = [](const Walk& a, const Walk& b) { return better(a.figures, b.figures); };
    const auto [best, worst] = std::minmax_element(states.begin(), states.end(), order);
    *worst = Walk(*best);
  }
}

}  // namespace zz::core
