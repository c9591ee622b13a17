#pragma once
#include <memory>
#include <vector>

#include "core/workload/workload.hpp"

namespace zz::core {

/// The layers of a network and which of them feed which, without the pass-through nodes: what feeds such a
/// node feeds what the node feeds. Layers are positions in topological order.
struct LayerGraph {
  std::vector<std::shared_ptr<const Layer>> layers;
  std::vector<std::vector<int>> predecessors;  ///< in the order in which the connections were made
  std::vector<std::vector<int>> successors;    ///< likewise

  /// Throws InputError when the network has a cycle.
  explicit LayerGraph(const Workload& workload);
};

}  // namespace zz::core
