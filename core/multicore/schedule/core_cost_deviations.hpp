#pragma once
#include <vector>

#include "core/multicore/graph/graph_deviations.hpp"
#include "core/multicore/schedule/core_costs.hpp"

namespace zz::core {

/// The layers about whose nodes Stream asks other questions than `plan`, or takes a core's own memory for
/// the one off chip. `plan` is of the graph, by `rules`.
std::vector<LayerDeviation> deviations_of_core_costs(
    const std::shared_ptr<const MultiCoreAccelerator>& accelerator,
    const std::shared_ptr<const ComputationNodeGraph>& graph, const Rules& rules, const CoreCostPlan& plan);

}  // namespace zz::core
