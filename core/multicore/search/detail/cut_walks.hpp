#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "core/multicore/cuts/cut_prices.hpp"
#include "core/multicore/cuts/partition_graph.hpp"
#include "core/multicore/search/detail/menu_cuts.hpp"
#include "core/multicore/search/detail/plan_evaluator.hpp"
#include "core/multicore/search/detail/plan_front.hpp"
#include "core/multicore/search/detail/plan_space.hpp"
#include "core/multicore/search/detail/plan_walks.hpp"
#include "core/multicore/search/schedule_search.hpp"
#include "core/search/methods/parallel_for.hpp"

namespace zz::core {

/// Walks through partitions with their cores and orders. Borrows what it is made of. Its functions end by
/// themselves when the limits of the options are reached, and by Interrupted.
class CutWalks {
 public:
  static constexpr std::int64_t steps_without_limit = 20'000;

  /// The time of the search begins here. `space` has the menus of the graphs, or beginnings of them.
  CutWalks(const PlanSpace& space, PartitionGraphs& graphs, CutPrices& costs,
           std::shared_ptr<const MultiCoreAccelerator> accelerator, const ScheduleSearchOptions& options,
           const ParallelFor& parallel);

  /// Schedules a partition before anything else, so that there is something to hand on however soon a limit
  /// ends the search. It is no step.
  void schedule_first(const Partition& partition);
  /// Tries every partition with one allocation and rule, the better half of them with another one, and so
  /// on: walks begin at the best. With ScheduleSearchOptions::start the first one is the start. `bounds` is
  /// called once, and its time kept for another call after the search; walks share the time that is left.
  /// `known` are further plans that walks may begin at, and `plans` some without an order.
  void begin(const std::vector<Partition>& partitions, const std::function<MenuBounds()>& bounds,
             const std::vector<Plan>& known = {}, const std::vector<Plan>& plans = {});
  /// Spreads layer after layer over the cores, where that is better at once: random steps would try few of
  /// these cuts while other cuts are still arranged around a layer that keeps one core busy.
  void spread_layers();
  /// Simulated annealing of cuts, cores and orders.
  void anneal();
  /// Where costs are of first answers (CutPrices): settles those of the schedules that no other one beats,
  /// and of the walks, which go on from what they then take. It is no step.
  void settle();

  /// The best plans for one sample, as plans for several: one sample after the other.
  std::vector<Plan> repeated() const;
  /// By ascending energy. All costs are settled.
  const std::vector<PlanFront::Point>& front() const { return evaluator_.front().points(); }
  /// The schedule of a point, but for its cuts.
  static FoundSchedule found(const PlanFront::Point& point);
  double best_uniform() const { return best_uniform_; }                ///< of partitions that are no start
  std::int64_t schedules() const { return evaluator_.evaluations(); }  ///< made
  const SearchSteps& steps() const {
    return steps_;
  }  ///< schedules, and plans that were known or could not win

 private:
  static constexpr double endless = std::numeric_limits<double>::infinity();

  /// A partition at the beginning, with the best of the plans that were tried for it.
  struct Candidate {
    std::vector<Plan> plans;
    PlanWalk best;
    bool is_start = false, is_uniform = false;
  };

  double seconds() const;
  /// Nodes of all samples.
  std::int64_t nodes(const Partition& partition) const { return space_.pieces(partition); }
  double progress() const;
  bool over() const;
  std::vector<Plan> usual_plans(const Partition& cuts) const;
  void keep_constants(std::vector<Plan>& plans) const;
  void try_even_work(std::vector<Candidate>& candidates);
  void try_best_cores(std::vector<Candidate>& candidates);
  std::vector<Plan> usual_repeats(const Plan& known) const;
  std::vector<Plan> usual_orders(const Plan& plan) const;
  void evaluate(std::vector<PlanTask>& tasks, Costs costs);
  void make_steps(std::vector<PlanTask>& tasks);
  void evaluate(const std::vector<Candidate*>& candidates, std::vector<Plan> plans);
  void evaluate_start(Candidate& start);
  Candidate best_repeat(const Plan& known);
  /// The start with the allocation and order that belong to it.
  Plan given_plan(Plan start, const ScheduleProblem& problem) const;

  const ScheduleSearchOptions& options_;
  std::shared_ptr<const MultiCoreAccelerator> accelerator_;
  PartitionGraphs& graphs_;
  const PlanSpace& space_;
  const CutPrices& costs_;
  MenuCuts cuts_;
  PlanEvaluator evaluator_;
  double begin_;                                  ///< seconds
  double walks_begin_ = 0, time_left_ = endless;  ///< of what begins with begin()
  std::int64_t most_steps_;
  std::vector<int> with_constants_;      ///< layers whose constants may stay
  double bound_ = 0;                     ///< of the objective
  double bound_without_waits_ = 0;       ///< MenuBounds::without_waits()
  std::shared_ptr<PreparedCuts> first_;  ///< made by schedule_first()
  std::vector<PlanWalk> walks_;
  double best_ = endless, best_uniform_ = endless;
  SearchSteps steps_;
  std::int64_t SearchSteps::*phase_ = &SearchSteps::uniform;  ///< the one that steps count for
};

}  // namespace zz::core
