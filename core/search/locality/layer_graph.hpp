#pragma once
#include <memory>
#include <vector>

#include "core/workload/workload.hpp"

namespace zz::core {

/// The layers of a network and their connections. Pass-through nodes are left out: their producers
/// feed their consumers directly. Layers are indices in topological order.
struct LayerGraph {
  std::vector<std::shared_ptr<const Layer>> layers;
  std::vector<std::vector<int>> predecessors;  ///< in the order in which the connections were made
  std::vector<std::vector<int>> successors;    ///< likewise

  /// Throws InputError when the network has a cycle.
  explicit LayerGraph(const Workload& workload);
};

}  // namespace zz::core
