#pragma once
#include "core/compat/rules.hpp"
#include "core/input/onnx/onnx_graph.hpp"
#include "core/input/onnx/onnx_shapes.hpp"
#include "core/workload/layer.hpp"

namespace zz::core::onnx_import {

/// Conv and QLinearConv as the loop nest B, K, G, OX, OY, C, FX, FY: channels are counted per group, X is
/// the width and Y the height. A one-dimensional convolution has a height of 1.
///
/// With rules.kernel_axes_exchanged the first (height) value of kernel, strides, dilations and padding goes
/// to X and the second to Y, as in ZigZag. The mapping is left to the caller. Throws NodeProblem.
Layer make_conv_layer(const GraphNode& node, const TensorShapes& shapes, const Rules& rules);

}  // namespace zz::core::onnx_import
