#include "core/multicore/schedule/schedule_problem.hpp"

#include "core/multicore/schedule/detail/tabulate_graph.hpp"
#include "core/multicore/schedule/detail/tabulate_hardware.hpp"

namespace zz::core {

ScheduleProblem::ScheduleProblem(std::shared_ptr<const MultiCoreAccelerator> accelerator,
                                 std::shared_ptr<const ComputationNodeGraph> graph,
                                 std::shared_ptr<const CoreCosts> costs, ScheduleOptions options) {
  auto tables = std::make_unique<Tables>();
  tables->accelerator = std::move(accelerator);
  tables->graph = std::move(graph);
  tables->costs = std::move(costs);
  tables->options = std::move(options);
  tabulate_hardware(*tables);
  tabulate_costs(*tables);
  tabulate_graph(*tables);
  tabulate_uses(*tables);
  tables_ = std::move(tables);
}

ScheduleProblem::~ScheduleProblem() = default;

const std::vector<Gene>& ScheduleProblem::genes() const { return tables_->genes; }

const std::shared_ptr<const MultiCoreAccelerator>& ScheduleProblem::accelerator() const {
  return tables_->accelerator;
}

const std::shared_ptr<const ComputationNodeGraph>& ScheduleProblem::graph() const { return tables_->graph; }

const std::shared_ptr<const CoreCosts>& ScheduleProblem::costs() const { return tables_->costs; }

const ScheduleOptions& ScheduleProblem::options() const { return tables_->options; }

}  // namespace zz::core
