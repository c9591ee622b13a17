#pragma once
#include <string>
#include <vector>

#include "core/diagnostics/diagnostics.hpp"
#include "core/fusion/computation_node_graph.hpp"

namespace zz::core {

/// Adds the dependencies between nodes of different layers: by boxes where data keep their shape on the
/// way, else element by element. Needs nodes and tensors; in compat it changes
/// ComputationNode::produced_bits, as Stream 0.0.8 does. What cannot be connected goes to `problems`, what
/// is doubtful to `warnings`.
void connect_layers(const Workload& workload, ComputationNodeGraph& graph, bool stream_compat,
                    Diagnostics& problems, std::vector<std::string>& warnings);

}  // namespace zz::core
