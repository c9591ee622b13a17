#pragma once
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "core/multicore/search/detail/plan.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/methods/pareto_front.hpp"
#include "core/search/methods/random_numbers.hpp"

namespace zz::core {

/// Figures of a plan, and what its schedule has decided by itself.
struct PlanFigures : ScheduleFigures {
  bool scheduled = false;  ///< false: it could not win, or does not run anywhere
  /// They are of the plan alone: neither what was wanted nor costs that may change have a part in them.
  bool final = true;
  std::vector<int> resident = {};  ///< layers whose constants stay
  double period_of_choice = 0;     ///< in the steady state: ScheduleChoice::period
};

inline double value_of(Objective objective, const PlanFigures& figures) {
  return figures.feasible ? value_of(objective, figures.energy, figures.cycles())
                          : std::numeric_limits<double>::infinity();
}

/// A plan with the graph and costs that it was scheduled with.
struct ScheduledPlan {
  Plan plan;
  std::shared_ptr<const ScheduleProblem> problem;
};

/// The plans that no other one beats in cycles and energy.
using PlanFront = ParetoFront<ScheduledPlan>;

/// Plans of a front, the best by the objective first, at most so many.
std::vector<const PlanFront::Point*> best_of(const PlanFront& front, Objective objective, std::size_t most);

/// The plans that a climb for one figure may go on from: the best that were made, the best first.
class BestPlans {
 public:
  explicit BestPlans(Objective objective) : objective_(objective) {}

  /// The first of plans with equal figures stays.
  void add(const Plan& plan, double latency, double energy);
  bool empty() const { return points_.empty(); }
  std::size_t size() const { return points_.size(); }
  const Plan& operator[](std::size_t i) const { return points_[i].choice; }
  const Plan& any(RandomNumbers& random) const {
    return points_[random.below(static_cast<int>(points_.size()))].choice;
  }

 private:
  Objective objective_;
  std::vector<FrontPoint<Plan>> points_;
};

}  // namespace zz::core
