#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/diagnostics/diagnostics.hpp"
#include "core/input/onnx/onnx_graph.hpp"
#include "core/input/onnx/onnx_shapes.hpp"
#include "core/workload/layer.hpp"

namespace zz::core::onnx_import {

/// Finds shapes that cannot all be right: the output of a node that its inputs and attributes give another
/// one, weights that do not fit between input and output. Layers are made from the input's shape, the
/// output's shape and the attributes as they are stated, as in ZigZag and Stream; so figures of such a file
/// are those of a network that cannot be, and the user is told.
///
/// Looked at are convolutions, pooling, products of matrices, and operators that keep the shape.
class Contradictions {
 public:
  /// Borrows the shapes, which must outlive it.
  explicit Contradictions(const TensorShapes& shapes) : shapes_(shapes) {}

  /// Does nothing for nodes with unknown shapes or wrong attributes; those are reported where they matter.
  /// `layer` is what was made from the node, where it is at hand: it saves looking at most nodes closely.
  void look_at(const GraphNode& node, const Layer* layer = nullptr);

  /// Adds a warning for each of the first few nodes that were found, and one for all others.
  void report(const SourceMark& mark, Diagnostics& diagnostics) const;

 private:
  bool agrees(const GraphNode& node, const Layer& convolution) const;
  void look_at_convolution(const GraphNode& node);
  void look_at_pooling(const GraphNode& node);
  void look_at_product(const GraphNode& node);
  void look_at_unchanged(const GraphNode& node);
  void add(const GraphNode& node, const char* role, const std::string& tensor, const Shape& stated,
           const Shape& expected, const std::string& from);
  const Shape* shape_of_input(const GraphNode& node, int index) const;
  const Shape* shape_of_output(const GraphNode& node) const;

  const TensorShapes& shapes_;
  std::vector<std::string> found_;  ///< one message a contradiction
};

}  // namespace zz::core::onnx_import
