#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/multi_core_accelerator.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

// Division of a layer into pieces: the cut that a user writes or a search chooses, and the layer cut so.

/// A loop that is cut into pieces: "OY, 14", "OY, all", "OY, 14, spread" or "OY, 4, lockstep".
struct CutLoop {
  std::string dimension;
  std::optional<std::int64_t> count;  ///< of pieces; nothing: "all", one for each iteration
  bool spread = false;  ///< its pieces may run on different cores although they read the same weights
  /// Spread, and nodes that differ in this loop alone are a lockstep group: each constant that they all
  /// read comes to their cores in one transfer.
  bool lockstep = false;

  bool operator==(const CutLoop&) const = default;
};

/// Division of a layer: the first loop is the innermost one over the pieces. Empty: the layer stays whole.
using Cut = std::vector<CutLoop>;

/// An entry of `hint_loops`: a cut and the layers that it is for.
struct CutEntry {
  std::vector<std::int64_t> layers;  ///< ids
  Cut loops;

  bool operator==(const CutEntry&) const = default;
};

/// The mode of SplitOptions in which each layer has a cut of its own.
inline constexpr int split_by_layer = 3;

/// Rules for cutting layers into pieces ("cn_define_mode", "hint_loops", "split_W_percentage").
struct SplitOptions {
  /// 1: `loops` is the cut of every layer.
  /// 2: `loops` are inner loops, pieces of at most so many iterations; the rest of each loop is outer.
  /// 3: `cut_entries` has the cut of each layer.
  /// 4: as 1, and layers whose weights are too large are cut in K.
  int mode = 1;
  Cut loops;
  std::vector<CutEntry> cut_entries;
  /// Runs of the network, with constants that are shared: ComputationNodeGraph::samples. A cut may
  /// then name `samples_loop`.
  int samples = 1;
  double weight_share = 1;  ///< mode 4: of the smallest candidate's weight memory that a piece may fill
  Rules rules;
};

/// A CutLoop resolved for a layer: one of the loops over its pieces.
struct NodeLoop {
  int loop = 0;  ///< index into Layer::loops
  std::int64_t count = 1;
  bool spread = false, lockstep = false;  ///< see CutLoop

  bool operator==(const NodeLoop&) const = default;
};

/// Size of the largest of so many pieces of a loop, or number of pieces of a size.
constexpr std::int64_t rounded_up(std::int64_t size, std::int64_t count) {
  return (size + count - 1) / count;
}

/// Iterations of the last piece of a loop that is cut into so many, of which all others are as large as the
/// largest. Where fewer of that size suffice, these are the pieces.
constexpr std::int64_t last_piece(std::int64_t size, std::int64_t count) {
  const std::int64_t piece = rounded_up(size, count);
  return size - (rounded_up(size, piece) - 1) * piece;
}

/// The cut of a layer in mode 3. Throws InputError when no entry names the layer.
const Cut& cut_of(const Layer& layer, const SplitOptions& options);

/// The outer loops of a layer, innermost first, never empty. Cut loops that the layer lacks are passed
/// over. When a count does not divide a loop, the last piece is smaller; no piece is without iterations.
/// Loops that Layer::may_be_cut() does not allow stay whole.
///
/// A loop in lockstep has at most as many pieces as there are cores for the layer, and iterations; its
/// pieces read the same constants and make different outputs; InputError otherwise, and with figures of
/// ZigZag or Stream.
///
/// With Rules::padding_is_data such a loop is enlarged in `layer` until all pieces are equal, and
/// `warnings` receives a sentence for each; in mode 2 the divisor next to the count is taken instead.
///
/// Throws InputError in mode 3 when no entry names the layer, in mode 4 when a layer without K must be cut,
/// or cannot be cut as finely as it must; with the rule also in mode 2 when no divisor is near the count.
std::vector<NodeLoop> outer_loops(Layer& layer, const MultiCoreAccelerator& accelerator,
                                  const SplitOptions& options, std::vector<std::string>& warnings);

/// Number of pieces along K (output channels) into which mode 4 cuts a layer: as few as possible, so that
/// the weights of one piece fill at most `options.weight_share` of the smallest weight memory (memory
/// operand I2) among the candidate cores. A divisor of K; 1 when the weights fit and when there are none.
/// Does not look at how many candidates there are: outer_loops() leaves layers of a single candidate whole.
///
/// Throws InputError when the layer must be cut and has no K, or K is too small.
std::int64_t weight_pieces(const Layer& layer, const MultiCoreAccelerator& accelerator,
                           const SplitOptions& options);

/// Values of a loop or data dimension that a piece covers: low <= value < high. With padding
/// they may lie outside the data.
struct Range {
  std::int64_t low = 0, high = 0;

  bool operator==(const Range&) const = default;
};

/// Pieces of a layer that are smaller than the others, because a loop ends.
struct SmallerPiece {
  std::shared_ptr<const Layer> piece;  ///< one of them as a layer
  int node_count = 0;
};

/// A layer with its cut. Along each loop all pieces are alike but the last one, which may be smaller. A
/// piece becomes a node of the graph (Stream's computation node, "CN"); `sub_id` counts pieces with the
/// first outer loop fastest.
struct CutLayer {
  std::shared_ptr<const Layer> layer;  ///< whole; by Rules::padding_is_data with loops perhaps enlarged
  std::shared_ptr<const Layer> piece;  ///< the largest piece as a layer, for the cost model of a core
  std::vector<SmallerPiece> smaller_pieces;  ///< all other shapes
  std::vector<NodeLoop> outer_loops;         ///< innermost first
  std::vector<std::int64_t> loop_sizes;      ///< of the loops before they were enlarged
  std::vector<int> constants;                ///< operands that lie off chip, also in part, in source order
  int samples = 1;                           ///< in each node; layer and pieces are of one
  int first_node = 0, node_count = 0;        ///< its nodes in ComputationNodeGraph::nodes, by sub_id
  int group_count = 0;

  /// Loops (first) and data dimensions of the relations (second) that node `sub_id` covers.
  std::vector<Range> loop_ranges(int sub_id) const;
  std::vector<Range> data_ranges(int sub_id) const;
};

/// Constant operands of a layer in the order of Layer::source_order; operands that it does not name follow
/// in the order of the equation.
std::vector<int> constants_in_source_order(const Layer& layer);

/// Cuts a layer along its outer loops. `whole` is the layer with enlarged loops, if any, `loop_sizes` what
/// they were before. Fills everything but `first_node` and `group_count`. Throws InputError when pieces
/// would have no iterations or there are too many of them.
CutLayer cut_layer(Layer whole, std::vector<NodeLoop> loops, std::vector<std::int64_t> loop_sizes);

/// All shapes of its nodes as layers, with all samples of a node, by ComputationNode::shape.
std::vector<std::shared_ptr<const Layer>> node_pieces(const CutLayer& cut_layer);

/// The shape of each node, by sub_id: ComputationNode::shape.
std::vector<int> node_shapes(const CutLayer& cut_layer);

/// Counters of the outer loops of one piece after the other, by sub_id.
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
