#pragma once
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/multicore/search/detail/plan_evaluator.hpp"
#include "core/search/methods/annealing.hpp"
#include "core/search/methods/objective.hpp"

namespace zz::core {

/// A walk through plans: the one that it has come to.
struct PlanWalk {
  Plan plan;
  double value = std::numeric_limits<double>::infinity();  ///< of the objective
  std::shared_ptr<PreparedCuts> prepared =
      {};  ///< of its cuts, or of earlier ones when its plan was known; may be null
};

/// Evaluates the proposals of all walks.
using EvaluateTasks = std::function<void(std::vector<PlanTask>&)>;

/// Each walk goes to its proposal, unless that is worse by more than such a share, or does not fit.
void step(std::vector<PlanWalk>& walks, std::vector<Plan>& proposals, const std::vector<double>& worse,
          Objective objective, const EvaluateTasks& evaluate);

/// Whatever differs between searches by simulated annealing.
struct Annealing {
  Objective objective = Objective::latency;
  Cooling cooling;
  int exchanges = 0;  ///< of the worst walk for the best
  std::function<std::optional<double>()> next_progress;
  /// Changes the plan of a walk.
  std::function<void(std::size_t walk, double progress, Plan& plan)> propose;
  /// Uniform in [0, 1], for the largest rise that the walk takes.
  std::function<double(std::size_t walk)> chance;
  EvaluateTasks evaluate;
};

/// Moves all walks side by side until there is no further progress.
void anneal(std::vector<PlanWalk>& walks, const Annealing& annealing);

}  // namespace zz::core
