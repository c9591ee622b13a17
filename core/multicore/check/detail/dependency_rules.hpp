#pragma once
#include <vector>

#include "core/multicore/check/detail/findings.hpp"
#include "core/multicore/check/detail/node_boxes.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/workload/workload.hpp"

namespace zz::core::check {

/// A node waits for the nodes that finish its inputs, and for no others. `boxes` are those of the layers.
void check_dependencies(const Workload& workload, const ComputationNodeGraph& graph,
                        const std::vector<NodeBoxes>& boxes, Findings& findings);

}  // namespace zz::core::check
