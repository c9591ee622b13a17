#pragma once
#include <vector>

#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/search/detail/direct_inputs.hpp"
#include "core/multicore/search/detail/layer_needs.hpp"

namespace zz::core {

/// Cycles before any node of each layer can start, and cycles that must follow the end of its last node.
struct LayerWaits {
  std::vector<double> before, after;  ///< by layer
};

/// Before a layer's first element can be made, the elements that it depends on must be: their share of the
/// work of the layers before, on the cores that these may use. After the last node of a layer some reader
/// has to run.
LayerWaits layer_waits(const ComputationNodeGraph& whole, const std::vector<DirectInput>& inputs,
                       const LayerNeeds& needs);

}  // namespace zz::core
