#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "core/multicore/cuts/cut_prices.hpp"
#include "core/multicore/cuts/partition_graph.hpp"
#include "core/multicore/search/detail/plan.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/methods/parallel_for.hpp"

namespace zz::core {

/// A partition with its graph and costs, ready to be scheduled. [one thread at a time]
struct PreparedPartition {
  Partition cuts;
  std::shared_ptr<const ScheduleProblem> problem;  ///< null: some layer runs nowhere
  bool settled = true;                             ///< all its costs are (CutPrice)
  std::optional<Scheduler> scheduler;
};

/// Evaluates choices side by side. Costs that are missing are asked in one batch for all of them, so that
/// the figures and the questions do not depend on the number of threads.
class PartitionEvaluator {
 public:
  PartitionEvaluator(PartitionGraphs& graphs, std::shared_ptr<const MultiCoreAccelerator> accelerator,
                     CutPrices& costs, const ParallelFor& parallel, int samples = 1,
                     bool steady_state = false)
      : graphs_(graphs),
        accelerator_(std::move(accelerator)),
        costs_(costs),
        parallel_(parallel),
        samples_(samples),
        steady_state_(steady_state) {}

  struct Task {
    const Plan* choice = nullptr;
    /// Figures that are not below it are of no use; the schedule is left out where a bound says so.
    double wanted_below = 0;
    std::shared_ptr<PreparedPartition> prepared;  ///< taken over when it is of the same cuts, else made
    ScheduleFigures figures = {};                 ///< out
    std::vector<int> resident = {};               ///< out: layers whose constants stay
    double period = 0;                            ///< out, in the steady state: ScheduleChoice::period
    bool scheduled = false;                       ///< out: false: not feasible, or it could not win
  };
  enum class Costs {
    first,    ///< first answers will do, where there are any (CutPrices)
    settled,  ///< of all tasks; what is prepared must be so
  };
  /// Evaluates all; `wanted_below` is of the objective.
  void evaluate(std::vector<Task>& tasks, Objective objective, Costs costs = Costs::first);

 private:
  static void shorten_period(Task& task, ScheduleChoice choice, double least);

  PartitionGraphs& graphs_;
  std::shared_ptr<const MultiCoreAccelerator> accelerator_;
  CutPrices& costs_;
  const ParallelFor& parallel_;
  int samples_;
  bool steady_state_;
  CoreRoutes routes_;  ///< of the first problem that was made
};

}  // namespace zz::core
