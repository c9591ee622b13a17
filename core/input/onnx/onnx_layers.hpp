#pragma once
#include <cstdint>

#include "core/compat/rules.hpp"
#include "core/input/onnx/onnx_graph.hpp"
#include "core/input/onnx/onnx_shapes.hpp"
#include "core/workload/layer.hpp"

namespace zz::core::onnx_import {

/// Bits per element, from the integer attributes that a node may carry beside the standard ones:
/// `weight_size` (8 when absent), `act_size` (8), `output_size` (twice act_size).
struct Precisions {
  std::int64_t weight = 8;
  std::int64_t activation = 8;  ///< of the input and of the finished output
  std::int64_t partial_sum = 16;
};

/// Throws NodeProblem when an attribute is no integer or negative.
Precisions read_precisions(const GraphNode& node);

/// Throws NodeProblem when the layer passes a limit of layer_limits.hpp.
void check_counts(const Layer& layer);

/// Conv and QLinearConv as the loop nest B, K, G, OX, OY, C, FX, FY: channels are counted per group, X is
/// the width and Y the height. A one-dimensional convolution has a height of 1.
///
/// With rules.kernel_axes_exchanged the first (height) value of kernel, strides, dilations and padding
/// goes to X and the second to Y, as in ZigZag. The mapping is left to the caller. Throws NodeProblem.
Layer make_conv_layer(const GraphNode& node, const TensorShapes& shapes, const Rules& rules);

/// Gemm and MatMul as the loop nest C, D, K (summed axis, rows, columns), with B for the batch axis of
/// tensors of three axes, and B and H for the two of four axes. When both inputs are produced by nodes
/// (attention), W has batch axes as well and the precision of activations.
///
/// The mapping is left to the caller. Throws NodeProblem.
Layer make_gemm_layer(const GraphNode& node, const TensorShapes& shapes);

}  // namespace zz::core::onnx_import
