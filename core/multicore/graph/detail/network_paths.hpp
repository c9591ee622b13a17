#pragma once
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"

namespace zz::core {

/// A path of data from the output of a layer to an input operand of another one, through operators without
/// cost.
struct LayerPath {
  int producer = 0, consumer = 0;     ///< indices into ComputationNodeGraph::layers
  int operand = 0;                    ///< of the consumer
  std::vector<std::int64_t> through;  ///< ids of the operators between, in the direction of the data
  bool any_element = false;           ///< any element that is read may come from any that is written
};

/// Two layers as Stream 0.0.8 finds them connected.
struct ConnectedLayers {
  int producer = 0, consumer = 0;
};

/// Finds the paths of data through a network. Workload and graph must outlive it.
class NetworkPaths {
 public:
  /// Throws InputError when the network has a cycle.
  NetworkPaths(const Workload& workload, const ComputationNodeGraph& graph);

  const PassThroughNode* pass_through(std::int64_t id) const;        ///< nullptr for a layer
  int layer(std::int64_t id) const;                                  ///< index into the graph, -1 for none
  const std::vector<std::int64_t>& order() const { return order_; }  ///< topological

  /// All paths, by producer and then consumer in topological order, then operand in source order. Paths
  /// that differ only in operators that keep the shape are one; so are all paths to an operand from a layer
  /// from which one has LayerPath::any_element.
  ///
  /// Beyond the limits of docs/limits.md throws InputError in Stream's rules. Else there is one path to the
  /// operand from each layer, with any_element, and a sentence in `warnings`.
  std::vector<LayerPath> paths(const Rules& rules, std::vector<std::string>& warnings) const;

  /// Pairs in the order in which Stream 0.0.8 comes across them; a pair appears once for each path.
  std::vector<ConnectedLayers> connected_layers() const;
  /// Input operands of the consumer that Stream 0.0.8 takes to be fed by the producer: also those whose
  /// source is a layer that the producer feeds (docs/deviations.md).
  std::vector<int> operands_taken_as_fed(const ConnectedLayers& pair) const;

  /// True if some operator on the way changes the shape of the data.
  bool changes_shape(const LayerPath& path) const;

 private:
  using Signatures = std::set<std::vector<std::int64_t>>;  // tell paths to one operand apart
  struct BeyondLimit {
    std::string problem;
  };
  using Neighbours = std::unordered_map<std::int64_t, std::vector<std::int64_t>>;

  const std::vector<std::int64_t>& neighbours(const Neighbours& of, std::int64_t id) const;
  void walk_back(std::int64_t id, LayerPath& path, Signatures& seen, std::vector<LayerPath>& found) const;
  std::vector<LayerPath> paths_to(int consumer, int operand) const;
  std::vector<LayerPath> from_all_before(int consumer, int operand) const;

  const ComputationNodeGraph& graph_;
  std::unordered_map<std::int64_t, const PassThroughNode*> pass_through_;
  std::unordered_map<std::int64_t, int> layers_;
  Neighbours successors_, predecessors_;
  std::vector<std::int64_t> order_;
};

/// "layer 3 'conv1'", for messages.
std::string layer_title(const Layer& layer);

/// Input operands of a layer that come from other nodes, in the order in which the file names the sources.
std::vector<int> fed_operands(const Layer& layer);

}  // namespace zz::core
