#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/compat/rules.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// Adds the dependencies between nodes of different layers: box by box where data keep their shape between
/// the layers, otherwise element by element. Needs nodes and tensors; Rules::reshaped_data_repeated also
/// changes ComputationNode::produced_bits. Errors go to `problems`, doubts to `warnings`.
void connect_layers(const Workload& workload, ComputationNodeGraph& graph, const Rules& rules,
                    Diagnostics& problems, std::vector<std::string>& warnings);

/// The pairs of layers of which one hands data to the other, and the dependencies between their nodes, by
/// the physical rules. How the layers are cut is known only when a pair is connected. [any]
class LayerPairs {
 public:
  struct Pair {
    int producer = 0, consumer = 0;  ///< layers by ascending id
  };

  /// The workload must live as long. Throws InputError when it has a cycle.
  explicit LayerPairs(const Workload& workload);
  ~LayerPairs();
  LayerPairs(LayerPairs&&) noexcept;

  /// By producer, then consumer, in topological order.
  const std::vector<Pair>& pairs() const { return pairs_; }
  /// Appends the dependencies between the nodes of a pair, in the order in which the graph of the whole
  /// network has them. The layers of `both` are the producer and the consumer.
  ///
  /// Throws InputError when their data do not fit.
  void connect(int pair, ComputationNodeGraph& both) const;

 private:
  struct Paths;
  std::unique_ptr<const Paths> paths_;
  std::vector<Pair> pairs_;
};

}  // namespace zz::core
