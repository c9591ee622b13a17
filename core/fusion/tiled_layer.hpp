#pragma once
#include "core/fusion/computation_node_graph.hpp"

namespace zz::core {

/// Constant operands of a layer in the order of Layer::source_order; those that it does not name follow in
/// the order of the equation.
std::vector<int> constants_in_source_order(const Layer& layer);

/// Cuts a layer along its outer loops. `whole` is the layer with enlarged loops, `loop_sizes` what they
/// were before. Fills everything but `first_node` and `group_count`. Throws InputError when the pieces do
/// not divide a loop or there are too many of them.
TiledLayer tiled_layer(Layer whole, std::vector<OuterLoop> loops, std::vector<std::int64_t> loop_sizes);

/// Counters of the outer loops of one node after the other, by sub_id.
class TileCounters {
 public:
  explicit TileCounters(const TiledLayer& tiled)
      : loops_(tiled.outer_loops), values_(tiled.outer_loops.size()) {}

  std::int64_t operator[](int outer_loop) const { return values_[outer_loop]; }
  void advance() {
    for (std::size_t i = 0; i < values_.size() && ++values_[i] == loops_[i].count; ++i) values_[i] = 0;
  }

 private:
  const std::vector<OuterLoop>& loops_;
  std::vector<std::int64_t> values_;
};

/// The elements that a tile covers along one dimension of an operand: a window that some outer loops move.
/// Unclipped: it may reach into the padding.
struct TileAxis {
  struct Mover {
    int outer_loop = 0;
    std::int64_t step = 0;  ///< elements per iteration
  };
  std::int64_t low = 0;     ///< of the first tile
  std::int64_t width = 1;   ///< of each tile
  std::int64_t extent = 1;  ///< of the data: real elements are 0 .. extent - 1
  std::vector<Mover> movers;
};

/// The axis of a loop or of the data dimension of a relation.
TileAxis axis_of_loop(const TiledLayer& tiled, int loop);
TileAxis axis_of_relation(const TiledLayer& tiled, int relation);
/// Axes of an operand by its dimensions in the brackets of the equation.
std::vector<TileAxis> axes_of_operand(const TiledLayer& tiled, int operand);

/// True when an operand does not depend on the loop at all, so that its iterations reuse (inputs) or add up
/// (output) the same elements.
bool is_irrelevant(const Layer& layer, int operand, int loop);

}  // namespace zz::core
