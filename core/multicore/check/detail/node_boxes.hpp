#pragma once
#include <cstdint>
#include <vector>

#include "core/multicore/graph/cut.hpp"
#include "core/workload/layer.hpp"

namespace zz::core::check {

/// Ascending ranges with gaps between them.
using Coordinates = std::vector<Range>;

std::int64_t count(const Coordinates& coordinates);
/// From the first to the last, gaps included.
std::int64_t span(const Coordinates& coordinates);

/// The iterations and elements of the nodes of a layer, from its outer loops and the network alone.
class NodeBoxes {
 public:
  /// `real` is the layer of the network; `cut_layer` must have its loops.
  NodeBoxes(const Layer& real, const CutLayer& cut_layer);

  const Layer& layer() const { return real_; }
  const CutLayer& cut_layer() const { return cut_layer_; }

  /// Iterations of a loop that a node makes: those of the network only.
  Range iterations(int sub_id, int loop) const;
  /// True if a node makes the last iterations of all loops that add up.
  bool finishes(int sub_id) const;
  /// The data that a node touches along an axis of an operand.
  Coordinates touched(int sub_id, int operand, int axis) const;
  /// The data that all iterations touch.
  Coordinates touched_by_all(int operand, int axis) const;
  std::int64_t extent(int operand, int axis) const;
  int axes(int operand) const { return static_cast<int>(real_.operands[operand].dimensions.size()); }

  /// The loop behind an axis of the output, or -1 for one that is always 0.
  int loop_of_output_axis(int axis) const;
  /// The node that finishes the output with these iterations of its loops.
  int finisher(const std::vector<std::int64_t>& iterations) const;
  bool adds_up(int loop) const { return adds_up_[loop]; }

 private:
  Range clipped(std::int64_t low, std::int64_t width, int loop) const;
  Coordinates touched(int operand, int axis, const std::vector<Range>& of_loops) const;
  std::vector<Range> iterations(int sub_id) const;

  const Layer& real_;
  const CutLayer& cut_layer_;
  std::vector<char> adds_up_;  ///< by loop: moves no axis of the output
};

}  // namespace zz::core::check
