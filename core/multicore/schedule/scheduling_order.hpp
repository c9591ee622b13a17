#pragma once
#include <vector>

#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/graph/layer_stacks.hpp"

namespace zz::core {

/// All nodes of a graph, the first to be scheduled first: stack after stack, in each the layer with the
/// highest id first, and in each layer the last node, so that data is used soon after it was made. Layers
/// in no stack come last; ids that the graph lacks are passed over.
std::vector<int> deepest_first(const ComputationNodeGraph& graph, const LayerStacks& stacks);

}  // namespace zz::core
