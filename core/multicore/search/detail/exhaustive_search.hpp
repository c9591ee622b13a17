#pragma once
#include <vector>

#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/multicore/search/detail/core_symmetry.hpp"
#include "core/multicore/search/detail/plan_evaluator.hpp"
#include "core/multicore/search/detail/plan_space.hpp"

namespace zz::core {

/// Lower bounds of latency and energy when the first genes are decided: `cores` are theirs, in order.
class PartialBound {
 public:
  PartialBound(const ScheduleProblem& problem, double latency_bound);
  /// Bounds of zero.
  PartialBound() = default;

  double latency(const std::vector<int>& cores) const;
  double energy(const std::vector<int>& cores) const;

 private:
  struct Cost {
    double load = 0;    ///< cycles that the gene's core is busy
    double energy = 0;  ///< pJ of its nodes
  };
  double latency_ = 0;
  double fixed_energy_ = 0;                   // of nodes without choice
  std::vector<double> fixed_load_;            // by core
  std::vector<std::vector<Cost>> gene_cost_;  // [gene][core]
  std::vector<double> least_energy_after_;    // [gene]: of this gene and those after it
};

/// Branch and bound over all allocations, each with each of `orders`. Allocations that only exchange
/// identical cores are evaluated once; branches whose bounds a point of the front beats are left out.
/// Returns false when the evaluator was exhausted before the end.
bool search_exhaustively(const PlanSpace& space, const CoreSymmetry& symmetry, const PartialBound& bound,
                         const std::vector<ScheduleChoice>& orders, PlanEvaluator& evaluator);

}  // namespace zz::core
