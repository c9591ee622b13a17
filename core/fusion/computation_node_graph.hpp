#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/fusion/outer_loops.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// The values of a loop or data dimension that a computation node covers: low <= value < high. Of data
/// dimensions with padding they may lie outside the data.
struct Range {
  std::int64_t low = 0, high = 0;

  bool operator==(const Range&) const = default;
};

/// A layer and how it is cut into computation nodes ("CNs"), which all have one shape. Node `sub_id` counts
/// with the first outer loop fastest.
struct TiledLayer {
  std::shared_ptr<const Layer> layer;    ///< whole; loops perhaps enlarged so that the cut is even
  std::shared_ptr<const Layer> tile;     ///< one node as a layer: what a core's cost model is asked for
  std::vector<OuterLoop> outer_loops;    ///< innermost first
  std::vector<std::int64_t> loop_sizes;  ///< of the loops before they were enlarged: what is real
  std::vector<int> constants;            ///< constant operands in the order of the sources
  int first_node = 0, node_count = 0;    ///< its nodes in ComputationNodeGraph::nodes, by sub_id
  int group_count = 0;

  /// Loops (first) and data dimensions of the relations (second) that node `sub_id` covers.
  std::vector<Range> loop_ranges(int sub_id) const;
  std::vector<Range> data_ranges(int sub_id) const;
};

/// A piece of data that is moved and stored as a whole. Nodes of a layer that need the same piece share it.
struct TileTensor {
  int layer = 0;       ///< index into ComputationNodeGraph::layers
  int operand = 0;     ///< index into Layer::operands
  int first_node = 0;  ///< the first node that has it: its producer, when it is an output
  std::int64_t bits = 0;
  /// How often it is used: of constants the number of nodes of the layer per piece, of outputs the number
  /// of nodes of other layers that read it; -1 for inputs from other layers.
  std::int64_t base_priority = -1;
};

inline constexpr int most_operands = 3;
/// A graph needs about half a kilobyte a node; a cut into more is a slip.
inline constexpr std::int64_t most_computation_nodes = 4'000'000;

struct ComputationNode {
  int layer = 0;   ///< index into ComputationNodeGraph::layers
  int sub_id = 0;  ///< within the layer
  /// Nodes of a layer with the same group run on the same core, one after the other by sub_id.
  int group = 0;
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

/// All computation nodes of a network with their dependencies. Compact: linear in nodes plus dependencies.
/// (A. Symons et al.: Stream, IEEE TC 2024.)
struct ComputationNodeGraph {
  std::string name;
  std::vector<TiledLayer> layers;        ///< by ascending layer id
  std::vector<ComputationNode> nodes;    ///< by layer, then sub_id
  std::vector<TileTensor> tensors;       ///< by layer, then first node
  std::vector<Dependency> dependencies;  ///< in order of construction
  std::vector<int> node_order;           ///< nodes by layer in topological order, then group, then sub_id
  std::vector<int> topological_order;    ///< nodes by generations
  std::vector<int> predecessor_begin;    ///< [node] .. [node + 1]: range in `predecessors`
  std::vector<int> predecessors;         ///< indices into `dependencies`, in order of construction
  std::vector<int> successor_begin, successors;

  std::int64_t layer_id(int node) const { return layers[nodes[node].layer].layer->id; }
  /// Index of a layer by its id, or -1.
  int layer_index(std::int64_t id) const;
  /// Fills what follows from nodes, dependencies and node_order: topological_order and the ranges of
  /// predecessors and successors. Throws InputError on a cycle, and when node_order is not of all nodes.
  void index();
};

/// Splits the layers of a network into nodes and connects them: nodes of two layers depend on each other
/// when the ranges of the data that they write and read overlap.
///
/// Throws InputError with every layer that cannot be split or connected, naming it. `warnings` receives a
/// sentence for each doubt.
ComputationNodeGraph split_into_nodes(const Workload& workload, const MultiCoreAccelerator& accelerator,
                                      const SplitOptions& options, std::vector<std::string>& warnings);

}  // namespace zz::core
