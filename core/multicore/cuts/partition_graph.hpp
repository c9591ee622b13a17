#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/multicore/cuts/cut_menu.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/graph/dependencies.hpp"
#include "core/multicore/graph/samples.hpp"

namespace zz::core {

/// Makes the graphs of partitions, by the physical rules: those that split_into_nodes() makes of the same
/// hints, node by node. What a layer and its cut decide is kept, and so is what two cuts of neighbours
/// decide, so that a partition in which few cuts have changed costs little. [any]
class PartitionGraphs {
 public:
  /// The cuts are for so many samples. The workload must live as long. Throws InputError when it has a
  /// cycle.
  PartitionGraphs(const Workload& workload, std::shared_ptr<const MultiCoreAccelerator> accelerator,
                  CutMenus cuts, int samples = 1);

  const CutMenus& cuts() const { return cuts_; }
  const std::vector<std::shared_ptr<const Layer>>& layers() const { return layers_; }
  const std::vector<LayerPairs::Pair>& pairs() const { return connections_.pairs(); }

  /// The layer with a cut. Throws InputError when it cannot be cut so.
  CutLayer cut_layer_of(int layer, int cut) const;
  /// The layer by itself, as an indexed graph of one layer. Throws InputError when it cannot be cut so.
  std::shared_ptr<const ComputationNodeGraph> layer(int layer, int cut);
  /// The graph of one sample, or of all. Throws InputError when a layer cannot be cut so, or data of
  /// neighbours do not fit.
  std::shared_ptr<const ComputationNodeGraph> graph(const Partition& partition, int samples = 1);
  /// The first cut with the same nodes and so with the same needs and costs: samples may be spread or not.
  int cut_of_nodes(int layer, int cut) const { return cuts_of_nodes_[layer][cut]; }
  /// Samples in each node, of those that the menus are for.
  int samples_together(int layer, int cut) const { return sample_cuts_[layer][cut].together; }
  /// The first layer that has the same work, cores and cuts, so that nodes of both need and cost the same.
  int first_alike(int layer) const { return first_alike_[layer]; }
  /// The graph of all samples of a node of a layer by itself. Throws InputError as layer().
  std::shared_ptr<const ComputationNodeGraph> node_samples(int layer, int cut);

 private:
  /// Between nodes numbered by sub_id.
  using Connection = std::vector<Dependency>;

  std::shared_ptr<const Connection> connection(int pair, const Partition& partition);

  const Workload& workload_;
  std::shared_ptr<const MultiCoreAccelerator> accelerator_;
  CutMenus cuts_;
  std::vector<std::shared_ptr<const Layer>> layers_;
  std::vector<int> first_alike_;  ///< by layer
  // By layer and cut.
  std::vector<std::vector<int>> cuts_of_nodes_;
  std::vector<std::vector<int>>
      cuts_of_sample_;  ///< the first one with the same loops but that over samples
  std::vector<std::vector<SampleCut>> sample_cuts_;
  std::vector<int> topological_;  ///< layers
  LayerPairs connections_;

  std::mutex mutex_;                                                                   // of what is kept
  std::vector<std::vector<std::shared_ptr<const ComputationNodeGraph>>> kept_layers_;  // [layer][cut]
  /// By pair and [cut of producer * cuts + cut of consumer]. Most are never asked for.
  std::vector<std::unordered_map<std::size_t, std::shared_ptr<const Connection>>> kept_connections_;
  std::size_t kept_dependencies_ = 0, kept_nodes_ = 0;
};

}  // namespace zz::core
