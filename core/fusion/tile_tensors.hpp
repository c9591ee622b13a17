#pragma once
#include "core/fusion/computation_node_graph.hpp"

namespace zz::core {

/// Adds the tensors of the nodes of layer `layer` to the graph and refers its nodes to them. Nodes that
/// cover the same ranges of an operand share the tensor. Bits are those of the elements that exist; in
/// compat the padding and what a loop was enlarged by count as well. The base priority of constants is set.
void add_tile_tensors(ComputationNodeGraph& graph, int layer, bool stream_compat);

/// Sets the base priority of outputs, when all dependencies are known and the graph is indexed. In compat a
/// tensor with several writers gets what the last of them in topological order would have alone.
void set_output_priorities(ComputationNodeGraph& graph, bool stream_compat);

}  // namespace zz::core
