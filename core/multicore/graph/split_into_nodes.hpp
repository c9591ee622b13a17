#pragma once
#include "core/multicore/graph/computation_node_graph.hpp"

namespace zz::core {

/// Splits the layers of a network into nodes and connects them: nodes of two layers depend on each other
/// when the ranges of the data that they write and read overlap.
///
/// Throws InputError with every layer that cannot be split or connected, naming it. `warnings` receives a
/// sentence for each doubt.
ComputationNodeGraph split_into_nodes(const Workload& workload, const MultiCoreAccelerator& accelerator,
                                      const SplitOptions& options, std::vector<std::string>& warnings);

}  // namespace zz::core
