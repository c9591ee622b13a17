#pragma once
#include <cstdint>
#include <vector>

#include "core/input/onnx/operator_node.hpp"
#include "core/input/onnx/operators/operator.hpp"

namespace zz::core::onnx_import {

/// A window that moves along one spatial axis of an image.
struct MovingWindow {
  std::int64_t kernel = 1, stride = 1, dilation = 1;
  std::int64_t padding_low = 0, padding_high = 0;

  /// Elements that it reaches over.
  std::int64_t reach() const { return (kernel - 1) * dilation + 1; }
};

/// The windows of a convolution or pooling over an image, one for each spatial axis, automatic padding
/// worked out where the lengths are known. `kernel` has a length for each axis. Throws NodeProblem for
/// attributes that are wrong.
std::vector<MovingWindow> moving_windows(const OperatorNode& node, const Shape& spatial_lengths,
                                         const Shape& kernel);

/// Positions of the window on an axis; unknown_length when the axis is. Throws NodeProblem when it does not
/// fit once. With `rounded_up` a last position may reach beyond the end.
std::int64_t positions(const MovingWindow& window, std::int64_t length, bool rounded_up = false);

/// The spatial lengths: those after batch and channels.
Shape spatial_lengths(const Shape& image);

/// True for an operator whose images have the channels last.
bool has_channels_last(const OperatorNode& node);

/// The shape of an image with the channels behind the batch, and as the operator has it.
Shape channels_first(const OperatorNode& node, Shape image);
Shape channels_as_stored(const OperatorNode& node, Shape image);

/// The channels of a convolution; of a group where there are several.
struct ChannelsOfGroups {
  std::int64_t groups = 1, outputs_of_group = 1, inputs_of_group = 1;
};

/// The loop nest B, K, G, OX, OY, C, FX, FY of a convolution in one to three dimensions; OZ and FZ only for
/// three, and a height of 1 for one. Lengths are in the order of the file: the width last. The inputs that
/// the operands read are left to the caller.
Product convolution_nest(std::int64_t batch, const ChannelsOfGroups& channels, const Shape& lengths,
                         const Shape& outputs, const std::vector<MovingWindow>& windows);

/// The loop nest C, D, K of a product of matrices with D rows, C summed elements and K columns, with a loop
/// for each batch axis. `input_batch` and `weight_batch` are the lengths of the axes before rows and
/// columns; they are broadcast, and an operand that an axis is repeated for does not depend on its loop.
///
/// Up to two batch loops are called B and H. Neighbouring axes on which both operands depend alike are one
/// loop when there are more.
Product matrix_nest(const Shape& input_batch, const Shape& weight_batch, std::int64_t rows,
                    std::int64_t summed, std::int64_t columns);

}  // namespace zz::core::onnx_import
