#pragma once
#include <vector>

#include "core/diagnostics/diagnostics.hpp"
#include "core/input/onnx/onnx_graph.hpp"
#include "core/input/onnx/onnx_shapes.hpp"

namespace zz::core::onnx_import {

/// Warns of stated shapes that cannot all be right: an output that does not follow from the inputs and
/// attributes of its node, and weights that do not fit between input and output. Layers are made from the
/// stated input, output and attributes, as in ZigZag and Stream, so the figures of such a file are those
/// of a network that cannot be.
///
/// Convolutions, pooling, products of matrices and operators that keep the shape are checked; nodes with
/// unknown shapes or wrong attributes are not, those are reported where they matter. The ONNX library's
/// own strict inference stops at the first contradiction, says nothing of weights, and names no tensor.
///
/// The first few nodes get a warning each, all others one together.
void warn_of_contradictions(const std::vector<GraphNode>& nodes, const TensorShapes& shapes,
                            const SourceMark& mark, Diagnostics& diagnostics);

}  // namespace zz::core::onnx_import
