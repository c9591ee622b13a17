#pragma once
#include "core/allocation/choice_evaluator.hpp"
#include "core/allocation/search_space.hpp"
#include "core/schedule/schedule_problem.hpp"

namespace zz::core {

/// Figures that no schedule can beat when some genes are decided: `cores` of the first ones, in the order
/// of the genes.
class PartialBound {
 public:
  PartialBound(const ScheduleProblem& problem, double latency_bound);
  /// Nothing is known: bounds are zero.
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

/// Evaluates every allocation, those that only exchange identical cores once, with each of `orders`; leaves
/// out what provably cannot join the front. Returns false when the evaluator was exhausted before the end.
bool search_exhaustively(const SearchSpace& space, const PartialBound& bound,
                         const std::vector<ScheduleChoice>& orders, ChoiceEvaluator& evaluator);

}  // namespace zz::core
