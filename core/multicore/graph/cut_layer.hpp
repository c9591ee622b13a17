#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/multicore/graph/outer_loops.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Values of a loop or data dimension that a computation node covers: low <= value < high. With padding
/// they may lie outside the data.
struct Range {
  std::int64_t low = 0, high = 0;

  bool operator==(const Range&) const = default;
};

/// Nodes of a layer that are smaller than the others, because a loop ends.
struct SmallerPiece {
  std::shared_ptr<const Layer> piece;  ///< one of them as a layer
  int node_count = 0;
};

/// A layer and how it is cut into computation nodes ("CNs"). Along each loop all pieces are alike but the
/// last one, which may be smaller. Node `sub_id` counts with the first outer loop fastest.
struct CutLayer {
  std::shared_ptr<const Layer> layer;  ///< whole; by Rules::padding_is_data with loops perhaps enlarged
  std::shared_ptr<const Layer> piece;  ///< the largest node as a layer, for the cost model of a core
  std::vector<SmallerPiece> smaller_pieces;  ///< all other shapes of nodes
  std::vector<NodeLoop> outer_loops;         ///< innermost first
  std::vector<std::int64_t> loop_sizes;      ///< of the loops before they were enlarged
  std::vector<int> constants;                ///< operands that lie off chip, also in part, in source order
  int first_node = 0, node_count = 0;        ///< its nodes in ComputationNodeGraph::nodes, by sub_id
  int group_count = 0;

  /// Loops (first) and data dimensions of the relations (second) that node `sub_id` covers.
  std::vector<Range> loop_ranges(int sub_id) const;
  std::vector<Range> data_ranges(int sub_id) const;
};

/// Constant operands of a layer in the order of Layer::source_order; those that it does not name follow in
/// the order of the equation.
std::vector<int> constants_in_source_order(const Layer& layer);

/// Cuts a layer along its outer loops. `whole` is the layer with enlarged loops, if any, `loop_sizes` what
/// they were before. Fills everything but `first_node` and `group_count`. Throws InputError when pieces
/// would have no iterations or there are too many of them.
CutLayer cut_layer(Layer whole, std::vector<NodeLoop> loops, std::vector<std::int64_t> loop_sizes);

/// All shapes of its nodes as layers, by ComputationNode::shape.
std::vector<std::shared_ptr<const Layer>> node_pieces(const CutLayer& cut_layer);

/// The shape of each node, by sub_id: ComputationNode::shape.
std::vector<int> node_shapes(const CutLayer& cut_layer);

/// Counters of the outer loops of one node after the other, by sub_id.
class PieceCounters {
 public:
  explicit PieceCounters(const CutLayer& cut_layer)
      : loops_(cut_layer.outer_loops), values_(cut_layer.outer_loops.size()) {}

  std::int64_t operator[](int outer_loop) const { return values_[outer_loop]; }
  void advance() {
    for (std::size_t i = 0; i < values_.size() && ++values_[i] == loops_[i].count; ++i) values_[i] = 0;
  }

 private:
  const std::vector<NodeLoop>& loops_;
  std::vector<std::int64_t> values_;
};

/// The window of elements that a piece covers along one dimension of an operand. Outer loops move it. It
/// may reach into the padding.
struct PieceAxis {
  struct Mover {
    int outer_loop = 0;
    std::int64_t step = 0;  ///< elements per iteration
  };
  std::int64_t low = 0;     ///< of the first piece
  std::int64_t width = 1;   ///< of each piece; the last one may be cut off where the loop ends
  std::int64_t extent = 1;  ///< of the data: real elements are 0 .. extent - 1
  std::vector<Mover> movers;
};

/// The axis of a loop or of the data dimension of a relation.
PieceAxis axis_of_loop(const CutLayer& cut_layer, int loop);
PieceAxis axis_of_relation(const CutLayer& cut_layer, int relation);
/// Axes of an operand by its dimensions in the brackets of the equation.
std::vector<PieceAxis> axes_of_operand(const CutLayer& cut_layer, int operand);

/// True when an operand does not depend on the loop: its iterations reuse (inputs) or add up (output) the
/// same elements.
bool is_irrelevant(const Layer& layer, int operand, int loop);

}  // namespace zz::core
