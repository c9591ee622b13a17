#pragma once
#include "core/multicore/check/detail/findings.hpp"
#include "core/multicore/check/detail/node_boxes.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"

namespace zz::core::check {

/// Every iteration of a layer belongs to one node.
void check_coverage(const NodeBoxes& boxes, Findings& findings);

/// Nodes cost what a layer of as many iterations does.
void check_shapes(const ComputationNodeGraph& graph, const NodeBoxes& boxes, Findings& findings);

/// The tensors of a layer's nodes are the boxes that these touch.
void check_tensors(const ComputationNodeGraph& graph, const NodeBoxes& boxes, Findings& findings);

/// Nodes that add up are one group and its last one finishes; the nodes of a group follow each other.
void check_groups(const ComputationNodeGraph& graph, const NodeBoxes& boxes, Findings& findings);

/// Each node stands behind the nodes that it waits for, and the lists by node repeat the dependencies.
void check_order(const ComputationNodeGraph& graph, Findings& findings);

}  // namespace zz::core::check
