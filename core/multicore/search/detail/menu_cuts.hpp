#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "core/multicore/cuts/cut_prices.hpp"
#include "core/multicore/cuts/partition_graph.hpp"
#include "core/multicore/search/detail/plan_evaluator.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/methods/parallel_for.hpp"

namespace zz::core {

/// Prepares cuts of menus for PlanEvaluator: graphs with costs, and schedules that a bound comes before.
/// Costs that are missing are asked in one batch for all tasks, so that the figures and the questions do
/// not depend on the number of threads. Borrows what it is made of.
class MenuCuts {
 public:
  /// `wanted_below` of tasks is of the objective.
  MenuCuts(PartitionGraphs& graphs, std::shared_ptr<const MultiCoreAccelerator> accelerator,
           CutPrices& costs, const ParallelFor& parallel, Objective objective, int samples = 1,
           bool steady_state = false)
      : graphs_(graphs),
        accelerator_(std::move(accelerator)),
        costs_(costs),
        parallel_(parallel),
        objective_(objective),
        samples_(samples),
        steady_state_(steady_state) {}

  /// The cuts of those tasks that have not been prepared for them.
  void prepare(const std::vector<PlanTask*>& tasks, Costs costs);

 private:
  struct Made {
    PlanTask* task = nullptr;
    std::shared_ptr<const ComputationNodeGraph> graph = {};  ///< null: it cannot be cut so
    std::vector<OperandBits> needs = {};
    std::vector<CutPrice> rows = {};  ///< by layer
  };

  void make_graph(Made& made);
  void ask_costs(std::vector<Made>& made, Costs costs);
  std::shared_ptr<PreparedCuts> prepared(const Made& made) const;

  PartitionGraphs& graphs_;
  std::shared_ptr<const MultiCoreAccelerator> accelerator_;
  CutPrices& costs_;
  const ParallelFor& parallel_;
  Objective objective_;
  int samples_;
  bool steady_state_;
  CoreRoutes routes_;  ///< of the first problem that was made
};

}  // namespace zz::core
