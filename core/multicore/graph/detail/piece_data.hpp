#pragma once
#include <span>

#include "core/compat/rules.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/graph/cut.hpp"

namespace zz::core {

/// The positions that the pieces of a layer cover along one axis of an operand. A *position* is a
/// combination of the counters of the outer loops that move along the axis, the first mover fastest.
struct PieceIntervals {
  struct Mover {
    int outer_loop = 0;
    std::int64_t weight = 0;  ///< positions per iteration
  };
  std::vector<Mover> movers;
  std::vector<int> node_offset;  ///< [position]: its part of the sub_id
  std::vector<int> begin{0};     ///< [position] .. [position + 1]: its elements, in `intervals`
  std::vector<Range> intervals;  ///< of one position ascending, with gaps between
  std::int64_t extent = 1;       ///< of the data

  int position_count() const { return static_cast<int>(node_offset.size()); }
  std::span<const Range> at(int position) const {
    return {intervals.data() + begin[position], intervals.data() + begin[position + 1]};
  }
  int position(const PieceCounters& counters) const {
    std::int64_t position = 0;
    for (const Mover& mover : movers) position += counters[mover.outer_loop] * mover.weight;
    return static_cast<int>(position);
  }
};

/// The elements that real iterations of each piece touch, by the dimensions of the operand in the equation.
///
/// With Rules::padding_is_data the whole window of a piece: with gaps, padding, and enlarged loops.
std::vector<PieceIntervals> piece_intervals(const CutLayer& cut_layer, int operand, const Rules& rules);

/// The same by the axes that other layers see: groups (G) and the channels of a group become one axis of
/// channels, at the position of the first of the two. With Rules::inexact_dependencies a piece is one
/// interval along it, whose lower end is too low.
std::vector<PieceIntervals> data_intervals(const CutLayer& cut_layer, int operand, const Rules& rules);

/// Adds the tensors of the nodes of a layer to the graph. Nodes that cover the same ranges of an operand
/// share a tensor. Bits are those of elements that exist; with Rules::padding_is_data padding and enlarged
/// loops count as well. Sets the base priority of constants.
void add_piece_tensors(ComputationNodeGraph& graph, int layer, const Rules& rules);

/// Sets the base priority of outputs. All dependencies must be known, and the graph indexed. With
/// Rules::partial_sums_unordered only the readers of the last writer, in topological order, count.
void set_output_priorities(ComputationNodeGraph& graph, const Rules& rules);

}  // namespace zz::core
