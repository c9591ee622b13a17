#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/search/locality/data_levels.hpp"
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

struct LocalityOptions {
  /// The data that the network reads and writes come from and go to the topmost memory.
  bool network_data_at_top = false;
  Rules rules = {};
};

struct Locality {
  DataLevels levels;
  /// Index of the lowest memory that has room for the weights of the whole network beside the data of a
  /// layer; the topmost one of weights when there is no such memory.
  std::int64_t weights = 0;
  std::vector<std::string> warnings;
};

/// Finds for each layer the lowest memory in which its output can wait for the layer that reads it.
///
/// A layer that feeds exactly one other layer, which reads nothing else, leaves its output in the lowest
/// memory that holds both and has room for the whole tensors (partial sums wide); the reader takes it
/// from there. Outputs that several layers read, or that are joined with others, wait in the topmost
/// memory. Layers that read the network's input take it from as low as it fits. Where nothing fits, data go
/// through the topmost memory, with a warning. Throws InputError when the network has a cycle.
Locality search_locality(const Workload& workload, const Accelerator& accelerator,
                         const LocalityOptions& options);

}  // namespace zz::core
