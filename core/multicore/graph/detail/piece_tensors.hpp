#pragma once
#include "core/compat/rules.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"

namespace zz::core {

/// Adds the tensors of the nodes of a layer to the graph. Nodes that cover the same ranges of an operand
/// share a tensor. Bits are those of elements that exist; with Rules::padding_is_data padding and enlarged
/// loops count as well. Sets the base priority of constants.
void add_piece_tensors(ComputationNodeGraph& graph, int layer, const Rules& rules);

/// Sets the base priority of outputs. All dependencies must be known, and the graph indexed. With
/// Rules::partial_sums_unordered only the readers of the last writer, in topological order, count.
void set_output_priorities(ComputationNodeGraph& graph, const Rules& rules);

}  // namespace zz::core
