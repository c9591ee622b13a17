#pragma once
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/compat/rules.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/graph/detail/network_walk.hpp"

namespace zz::core {

/// Adds the dependencies between nodes of different layers: box by box where data keep their shape between
/// the layers, otherwise element by element. Needs nodes and tensors; Rules::reshaped_data_repeated also
/// changes ComputationNode::produced_bits. Errors go to `problems`, doubts to `warnings`.
void connect_layers(const Workload& workload, ComputationNodeGraph& graph, const Rules& rules,
                    Diagnostics& problems, std::vector<std::string>& warnings);

/// The same for some paths, by the physical rules.
void connect_paths(const std::vector<LayerPath>& paths, const NetworkWalk& walk,
                   ComputationNodeGraph& graph, Diagnostics& problems, std::vector<std::string>& warnings);

}  // namespace zz::core
