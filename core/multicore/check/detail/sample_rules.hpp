#pragma once
#include "core/multicore/check/detail/findings.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"

namespace zz::core::check {

/// The nodes of one sample as a graph by itself. The layers of `graph` must have the nodes that they say,
/// as many in each sample.
ComputationNodeGraph part_of_sample(const ComputationNodeGraph& graph, int sample);

/// Every sample has the nodes, tensors and dependencies of the first one, and its own of all but constants;
/// samples wait for each other only within groups, node after node.
void check_samples(const ComputationNodeGraph& graph, Findings& findings);

}  // namespace zz::core::check
