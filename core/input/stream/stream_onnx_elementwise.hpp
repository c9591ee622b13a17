#pragma once
#include "core/input/stream/stream_onnx_node.hpp"

namespace zz::core::onnx_import {

/// Largest, average and global pooling as the loop nest B, K, OX, OY, FX, FY with weights of no bits: what
/// moves is the input, and each output combines a window of it.
///
/// With rules.window_axes_exchanged the height is called X. With rules.pooling_repeated_by_channel a loop C
/// over the channels that no operand depends on multiplies work and cycles by the number of channels.
/// Throws NodeProblem.
Layer make_stream_pooling_layer(const StreamNode& node, const TensorShapes& shapes, const Rules& rules);

/// Add and Mul of two tensors of one shape with 1 to 4 axes: OX; OX, OY; B, OX, OY; B, K, OX, OY. W is the
/// first input and I the second one; when one of them lies off chip it is W. With
/// rules.window_axes_exchanged X is the axis before Y. With rules.unfed_operands_lost an addition of two
/// tensors that both lie off chip never fetches I. Throws NodeProblem.
Layer make_stream_simd_layer(const StreamNode& node, const TensorShapes& shapes, const Rules& rules);

}  // namespace zz::core::onnx_import
