#pragma once
#include "core/fusion/computation_node_graph.hpp"

namespace zz::core {

/// Sets the groups of the nodes of a layer: nodes that cover the same slice of the last constant operand
/// (Layer::source_order), usually the weights. Of a layer without constants each node is a group of its
/// own.
///
/// Nodes that add up to the same outputs are always in one group, so that partial sums stay on a core and
/// are added one after the other; in compat they are not.
void set_groups(ComputationNodeGraph& graph, int layer, bool stream_compat);

/// Appends the order within the groups of a layer to the dependencies, and its nodes to the node order.
void add_group_order(ComputationNodeGraph& graph, int layer);

}  // namespace zz::core
