#include "core/multicore/search/detail/gene_walks.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/multicore/search/detail/plan_front.hpp"
#include "core/multicore/search/detail/plan_moves.hpp"
#include "core/multicore/search/detail/plan_walks.hpp"
#include "core/multicore/search/detail/usual_plans.hpp"

namespace zz::core {
namespace {

constexpr int attempts_at_a_new_plan = 20;

class Climbs {
 public:
  Climbs(const PlanSpace& space, int at_once, RandomNumbers& random, PlanEvaluator& evaluator)
      : space_(space),
        at_once_(std::max(1, at_once)),
        random_(random),
        moves_(space, random),
        evaluator_(evaluator) {}

  void begin(std::vector<Plan> known) {
    remember_front();
    if (!known.empty()) {
      evaluate(std::move(known));
      return;
    }
    const std::vector<ScheduleChoice> orders =
        space_.orders() ? sensible_orders(space_) : std::vector<ScheduleChoice>(1);
    std::size_t next_order = 0;
    std::vector<Plan> first;
    const auto add = [&](const std::vector<int>& cores) {
      propose(plan_of(cores, orders[next_order++ % orders.size()]), first);
    };
    // Half of them are guesses.
    for (const std::vector<int>& cores : sensible_cores(space_))
      if (static_cast<int>(first.size()) < (at_once_ + 1) / 2) add(cores);
    for (int i = 0; i < at_once_ * attempts_at_a_new_plan && static_cast<int>(first.size()) < at_once_; ++i)
      add(random_cores(space_, random_));
    evaluate(std::move(first));
  }

  /// False when no new plan turned up.
  bool turn() {
    // Where nothing fits so far there is nothing to change.
    std::vector<Plan> plans = lean_.empty() ? random_plans() : changed_plans();
    if (plans.empty()) return false;
    evaluate(std::move(plans));
    return true;
  }

  std::vector<Plan> best() const {
    std::vector<Plan> plans;
    for (std::size_t i = 0; i < std::max(lean_.size(), fast_.size()); ++i)
      for (const BestPlans* of_figure : {&lean_, &fast_})
        if (i < of_figure->size() && std::find(plans.begin(), plans.end(), (*of_figure)[i]) == plans.end())
          plans.push_back((*of_figure)[i]);
    return plans;
  }

 private:
  /// Schedules that were made before: climbs may begin at them, too.
  void remember_front() {
    for (const auto& point : evaluator_.front().points())
      learn(point.choice.plan, point.latency, point.energy);
  }

  std::vector<Plan> random_plans() {
    std::vector<Plan> plans;
    for (int i = 0; i < at_once_ * attempts_at_a_new_plan && static_cast<int>(plans.size()) < at_once_;
         ++i) {
      propose(plan_of(random_cores(space_, random_)), plans);
    }
    return plans;
  }

  std::vector<Plan> changed_plans() {
    std::vector<Plan> plans;
    for (int i = 0; i < at_once_; ++i) {
      const BestPlans& known = next_plans();
      for (int attempt = 0; attempt < attempts_at_a_new_plan; ++attempt)
        if (propose(changed(known.any(random_), attempt), plans)) break;
    }
    return plans;
  }

  const BestPlans& next_plans() {
    const bool lean = lean_is_next_;
    lean_is_next_ = !lean_is_next_;
    return lean ? lean_ : fast_;
  }

  /// More attempts change more.
  Plan changed(Plan plan, int attempt) {
    const bool order_too = space_.orders() && (space_.genes().empty() || random_.fraction() < 0.4);
    if (random_.fraction() < 0.8 || attempt > 0) moves_.change_genes(plan);
    for (int extra = 5; extra <= attempt; extra += 5) moves_.change_genes(plan);
    if (order_too) moves_.change_dispatch(plan);
    if (order_too && random_.fraction() < 0.5) moves_.change_rank(plan.order, 2);
    return plan;
  }

  /// Adds a plan unless it is known or among `plans` already.
  bool propose(Plan plan, std::vector<Plan>& plans) {
    evaluator_.make_canonical(plan);
    if (evaluator_.known(plan) || std::find(plans.begin(), plans.end(), plan) != plans.end()) return false;
    plans.push_back(std::move(plan));
    return true;
  }

  void evaluate(std::vector<Plan> plans) {
    const std::vector<PlanFigures> figures = evaluator_.evaluate(plans);
    for (std::size_t i = 0; i < plans.size(); ++i)
      if (figures[i].feasible) learn(plans[i], figures[i].latency, figures[i].energy);
  }

  void learn(const Plan& plan, double latency, double energy) {
    lean_.add(plan, latency, energy);
    fast_.add(plan, latency, energy);
  }

  const PlanSpace& space_;
  int at_once_;
  RandomNumbers& random_;
  PlanMoves moves_;
  PlanEvaluator& evaluator_;
  BestPlans lean_{Objective::energy}, fast_{Objective::latency};
  bool lean_is_next_ = true;
};

}  // namespace

std::vector<Plan> climb_genes(const PlanSpace& space, int at_once, std::int64_t schedules,
                              RandomNumbers& random, PlanEvaluator& evaluator, std::vector<Plan> first) {
  const std::int64_t begin = evaluator.evaluations();
  Climbs climbs(space, at_once, random, evaluator);
  climbs.begin(std::move(first));
  while (evaluator.evaluations() - begin < schedules && !evaluator.exhausted())
    if (!climbs.turn()) break;
  return climbs.best();
}

void anneal_genes(const PlanSpace& space, const std::vector<Plan>& starts, Objective objective,
                  std::int64_t schedules, RandomNumbers& random, PlanEvaluator& evaluator) {
  constexpr int walk_count = 8, exchange_count = 12;
  constexpr double hot = 0.02, cold = 0.0002;
  if (starts.empty() || schedules <= 0) return;
  std::vector<Plan> plans;
  for (int i = 0; i < walk_count; ++i) plans.push_back(starts[i % starts.size()]);
  const std::int64_t begin = evaluator.evaluations();
  const std::vector<PlanFigures> figures = evaluator.evaluate(plans);
  std::vector<PlanWalk> walks;
  for (int i = 0; i < walk_count; ++i) walks.push_back({plans[i], value_of(objective, figures[i])});

  // Small spaces run out of new points before all schedules are made.
  const std::int64_t most_rounds = 3 * (schedules / walk_count + 1);
  std::int64_t round = 0;
  Annealing annealing;
  annealing.objective = objective;
  annealing.cooling = {hot, cold / hot};
  annealing.exchanges = exchange_count;
  annealing.next_progress = [&]() -> std::optional<double> {
    if (round >= most_rounds || evaluator.exhausted()) return std::nullopt;
    const double progress =
        std::max(static_cast<double>(evaluator.evaluations() - begin) / static_cast<double>(schedules),
                 static_cast<double>(round++) / static_cast<double>(most_rounds));
    if (progress >= 1) return std::nullopt;
    return progress;
  };
  PlanMoves moves(space, random);
  annealing.propose = [&](std::size_t, double progress, Plan& plan) {
    StepRoom room;
    room.progress = progress;
    moves.change(plan, room);
  };
  // The smaller the number, the larger the rise, as takes_rise() has it.
  annealing.chance = [&](std::size_t) { return 1 - random.fraction(); };
  annealing.evaluate = [&](std::vector<PlanTask>& tasks) { evaluator.evaluate(tasks); };
  anneal(walks, annealing);
}

}  // namespace zz::core
