#pragma once
#include <string>
#include <vector>

#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/graph/cut.hpp"

namespace zz::core {

/// Cuts the layers of a network into pieces, makes each piece a node and connects the nodes: two nodes
/// depend on each other when the ranges of the data that they write and read overlap.
///
/// Throws InputError with every layer that cannot be split or connected, naming it. `warnings` receives a
/// sentence for each doubt.
ComputationNodeGraph split_into_nodes(const Workload& workload, const MultiCoreAccelerator& accelerator,
                                      const SplitOptions& options, std::vector<std::string>& warnings);

// The steps of split_into_nodes(), for searches that change the cuts of a few layers at a time. Layers are
// connected by LayerPairs (dependencies.hpp).

/// A layer cut as the options say. `warnings` receives a sentence for each doubt. Throws InputError when it
/// cannot be cut so.
CutLayer cut_layer(const Layer& layer, const MultiCoreAccelerator& accelerator, const SplitOptions& options,
                   std::vector<std::string>& warnings);

/// True if pieces of the outer loop are in groups of their own (ComputationNode::group).
bool separates_groups(const CutLayer& cut_layer, const NodeLoop& outer, const Rules& rules);

/// Appends a layer with its nodes and tensors.
void add_layer(ComputationNodeGraph& graph, CutLayer cut_layer, const Rules& rules);

/// Appends the order within the groups of a layer to the dependencies, and its nodes to the node order.
void add_group_order(ComputationNodeGraph& graph, int layer);

/// Fills what follows from all of these, when the dependencies between layers are known as well.
void finish_graph(ComputationNodeGraph& graph, const Rules& rules);

}  // namespace zz::core
