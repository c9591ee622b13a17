#pragma once
#include <cstdint>
#include <vector>

#include "core/input/onnx/operator_node.hpp"

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

}  // namespace zz::core::onnx_import
