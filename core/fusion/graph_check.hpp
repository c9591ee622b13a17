#pragma once
#include "core/fusion/computation_node_graph.hpp"

namespace zz::core {

/// Throws InputError when the parts of a graph that was read or edited do not fit together: positions that
/// lead nowhere, nodes that are not those of their layer, an order that does not name each node once.
/// Whoever walks a graph relies on that; ComputationNodeGraph::index() does.
void check_graph(const ComputationNodeGraph& graph);

}  // namespace zz::core
