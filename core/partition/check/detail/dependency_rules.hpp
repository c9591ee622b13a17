#pragma once
#include <vector>

#include "core/fusion/computation_node_graph.hpp"
#include "core/partition/check/detail/findings.hpp"
#include "core/partition/check/detail/node_boxes.hpp"
#include "core/workload/workload.hpp"

namespace zz::core::partition_check {

/// Nodes wait for those that finish what they read, and for no others. `boxes` are those of the layers.
void check_dependencies(const Workload& workload, const ComputationNodeGraph& graph,
                        const std::vector<NodeBoxes>& boxes, Findings& findings);

}  // namespace zz::core::partition_check
