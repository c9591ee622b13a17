#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/graph/dependencies.hpp"
#include "core/multicore/search/cut_menu.hpp"

namespace zz::core {

/// Makes the graphs of partitions, by the physical rules: those that split_into_nodes() makes of the same
/// hints, node by node. What a layer and its cut decide is kept, and so is what two cuts of neighbours
/// decide, so that a partition in which few cuts have changed costs little. [any]
class PartitionGraphs {
 public:
  /// The workload must live as long. Throws InputError when it has a cycle.
  PartitionGraphs(const Workload& workload, std::shared_ptr<const MultiCoreAccelerator> accelerator,
                  CutMenus cuts);

  const CutMenus& cuts() const { return cuts_; }
  const std::vector<std::shared_ptr<const Layer>>& layers() const { return layers_; }
  const std::vector<LayerPairs::Pair>& pairs() const { return connections_.pairs(); }

  /// The layer with a cut. Throws InputError when it cannot be cut so.
  CutLayer cut_layer_of(int layer, int cut) const;
  /// The layer by itself, as a graph of one layer. Throws InputError when it cannot be cut so.
  std::shared_ptr<const ComputationNodeGraph> layer(int layer, int cut);
  /// Throws InputError when a layer cannot be cut so, or data of neighbours do not fit.
  std::shared_ptr<const ComputationNodeGraph> graph(const Partition& partition);

 private:
  /// Between nodes numbered by sub_id.
  using Connection = std::vector<Dependency>;

  std::shared_ptr<const Connection> connection(int pair, const Partition& partition);

  const Workload& workload_;
  std::shared_ptr<const MultiCoreAccelerator> accelerator_;
  CutMenus cuts_;
  std::vector<std::shared_ptr<const Layer>> layers_;
  std::vector<int> topological_;  ///< layers
  LayerPairs connections_;

  std::mutex mutex_;                                                                   // of what is kept
  std::vector<std::vector<std::shared_ptr<const ComputationNodeGraph>>> kept_layers_;  // [layer][cut]
  /// By pair and [cut of producer * cuts + cut of consumer]. Most are never asked for.
  std::vector<std::unordered_map<std::size_t, std::shared_ptr<const Connection>>> kept_connections_;
  std::size_t kept_dependencies_ = 0, kept_nodes_ = 0;
};

}  // namespace zz::core
