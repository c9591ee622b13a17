#pragma once
#include "core/input/onnx/onnx_graph.hpp"
#include "core/input/onnx/onnx_shapes.hpp"
#include "core/workload/layer.hpp"

namespace zz::core::onnx_import {

/// Gemm and MatMul as the loop nest C, D, K (summed axis, rows, columns), with B for the batch axis of
/// tensors of three axes, and B and H for the two of four axes. When both inputs are produced by nodes
/// (attention), W has batch axes as well and the precision of activations.
///
/// The mapping is left to the caller. Throws NodeProblem.
Layer make_gemm_layer(const GraphNode& node, const TensorShapes& shapes);

}  // namespace zz::core::onnx_import
