#pragma once
#include "core/input/stream/stream_onnx_node.hpp"

namespace zz::core::onnx_import {

/// Conv and QLinearConv: the loop nest of make_conv_layer. Weights have a group index only when there are
/// groups. With rules.conv_operands_misread, weights of groups have no index of output channels, and
/// precisions are 16, 8 and 8 bits whatever the node says. Throws NodeProblem.
Layer make_stream_conv_layer(const StreamNode& node, const TensorShapes& shapes, const Rules& rules);

/// Gemm and MatMul: the loop nest of make_gemm_layer. With rules.product_operands_by_producer the first
/// input that a node produces is I and the second W; else I is the first input and W the second. Throws
/// NodeProblem.
Layer make_stream_gemm_layer(const StreamNode& node, const TensorShapes& shapes, const Rules& rules);

}  // namespace zz::core::onnx_import
