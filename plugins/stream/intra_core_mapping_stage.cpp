#include "plugins/stream/intra_core_mapping_stage.hpp"

#include <string>
#include <utility>
#include <vector>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/schedule/core_cost_plan.hpp"
#include "core/output/core_costs_page.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/stream/core_cost_answers.hpp"

namespace zz::plugins {

Results IntraCoreMappingStage::run(Value ctx) {
  const auto accelerator =
      object<core::MultiCoreAccelerator>(ctx, "multi_core_accelerator"_n, "multi_core_accelerator");
  const auto graph =
      object<core::ComputationNodeGraph>(ctx, "computation_nodes"_n, "computation_node_graph");
  const core::CoreCostPlan plan(accelerator, graph, rules());
  CoreCostAnswers chain(*this, stages, ctx, node_hw_performances_path);
  std::vector<std::string> reasons;
  const CoreCostAnswers::Answers answers = chain.to(plan.questions(), reasons);
  core::CoreCosts found = plan.costs(answers, reasons);
  chain.write(plan.questions(), answers);
  if (const auto& page = visualize_node_hw_performances_path; page && !page->empty())
    output(*page, core::core_costs_page(found, *graph, *accelerator));
  const Value below = with(ctx, {{"core_costs"_n, wrap(std::move(found))}});
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace zz::plugins
