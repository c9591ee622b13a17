#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/multicore/graph/cut.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// Data that are moved and stored as a whole: those of one piece. Nodes of a layer that need the same data
/// share a tensor.
struct PieceTensor {
  int layer = 0;       ///< index into ComputationNodeGraph::layers
  int operand = 0;     ///< index into Layer::operands
  int first_node = 0;  ///< the first node that has it: its producer, when it is an output
  std::int64_t bits = 0;
  /// Number of its uses: of constants the number of nodes of the layer per tensor, of outputs the number of
  /// nodes of other layers that read it; -1 for inputs from other layers.
  std::int64_t base_priority = -1;
};

inline constexpr int most_operands = 3;
/// Bytes of a node with its tensors, its place in the tables of a scheduler and in a schedule that is
/// checked; and those of a dependency.
inline constexpr std::int64_t bytes_of_node = 2000, bytes_of_dependency = 64;
/// Bytes that a graph may take with all of that. docs/limits.md names this limit.
inline constexpr std::int64_t most_graph_bytes = 2'147'483'648;

/// Throws InputError when so much takes more bytes than a graph may, telling both numbers. `what` is the
/// subject of the message: "layer 3 'conv'".
void check_graph_bytes(std::int64_t nodes, std::int64_t dependencies, const std::string& what);

/// A node: a piece of a layer, to be scheduled.
struct ComputationNode {
  int layer = 0;   ///< index into ComputationNodeGraph::layers
  int sub_id = 0;  ///< within the layer
  /// Nodes of a layer with the same group run on the same core, one after the other by sub_id.
  int group = 0;
  /// Which of its layer's shapes it has: 0 CutLayer::piece, k entry k - 1 of CutLayer::smaller_pieces.
  int shape = 0;
  bool final_output = false;  ///< it finishes its outputs: the last of the reduction loops
  std::int64_t produced_bits = 0;
  std::array<int, most_operands> tensors{-1, -1, -1};  ///< by operand index -> tensors, or -1
};

/// `from` must be finished before `to` starts.
struct Dependency {
  int from = 0, to = 0;  ///< nodes
  int operand = -1;      ///< of the layer of `to`, that the data are for; -1: order within a group
  std::int64_t bits = 0;
};

/// All nodes of a network with their dependencies. Compact: linear in nodes plus dependencies. With several
/// samples the nodes of a layer are those of one sample after the other, or of CutLayer::samples together:
/// sub_id = sample / together * pieces + piece.
/// (A. Symons et al.: Stream, IEEE TC 2024.)
struct ComputationNodeGraph {
  std::string name;
  int samples = 1;                       ///< runs of the network, with constants that are shared
  std::vector<CutLayer> layers;          ///< by ascending layer id
  std::vector<ComputationNode> nodes;    ///< by layer, then sub_id
  std::vector<PieceTensor> tensors;      ///< by layer, then first node
  std::vector<Dependency> dependencies;  ///< in order of construction
  std::vector<int> node_order;           ///< nodes by layer in topological order, then group, then sub_id
  std::vector<int> topological_order;    ///< nodes by generations
  std::vector<int> predecessor_begin;    ///< [node] .. [node + 1]: range in `predecessors`
  std::vector<int> predecessors;         ///< indices into `dependencies`, in order of construction
  std::vector<int> successor_begin, successors;

  std::int64_t layer_id(int node) const { return layers[nodes[node].layer].layer->id; }
  /// Runs of a layer: one for the samples that its nodes have together.
  int repeats(int layer) const { return samples / layers[layer].samples; }
  /// Nodes of a layer in each of these runs.
  int pieces(int layer) const { return layers[layer].node_count / repeats(layer); }
  /// The first sample of a node.
  int sample_of(int node) const {
    const int layer = nodes[node].layer;
    return nodes[node].sub_id / pieces(layer) * layers[layer].samples;
  }
  /// Index of a layer by its id, or -1.
  int layer_index(std::int64_t id) const;
  /// Fills what follows from nodes, dependencies and node_order: topological_order and the ranges of
  /// predecessors and successors. Throws InputError on a cycle, and when node_order is not of all nodes.
  void index();
};

/// Checks a graph that was read from a file or edited. Throws InputError for indices out of range, for
/// nodes that are not those of their layer, and for an order that does not name each node once. All
/// functions on graphs rely on this, ComputationNodeGraph::index() included.
void check_graph(const ComputationNodeGraph& graph);

}  // namespace zz::core
