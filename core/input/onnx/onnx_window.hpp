#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/input/onnx/onnx_shapes.hpp"
#include "core/workload/layer.hpp"

namespace zz::core::onnx_import {

/// Axes of a tensor before the spatial ones: batch and channels.
inline constexpr std::size_t leading_axes = 2;

/// One axis of an image along which a window moves.
struct WindowAxis {
  std::int64_t input = 1, output = 1;
  std::int64_t kernel = 1, stride = 1, dilation = 1;
  std::int64_t padding_low = 0, padding_high = 0;
};

/// The windows of a convolution or pooling, by spatial axis; ONNX lists the height before the width.
class Windows {
 public:
  /// `kernel` has a length for each spatial axis; strides, dilations and padding are attributes of
  /// `node`. Throws NodeProblem for attributes that are wrong.
  Windows(const onnx::NodeProto& node, const Shape& input, const Shape& output, Shape kernel);

  std::size_t axis_count() const { return kernel_.size(); }
  /// The axis with the lengths of spatial axis `lengths` and the attributes of `attributes`, which differ
  /// only where a defect is reproduced.
  WindowAxis axis(std::size_t lengths, std::size_t attributes) const;
  WindowAxis axis(std::size_t index) const { return axis(index, index); }

 private:
  Shape input_, output_;
  std::vector<std::int64_t> kernel_, strides_, dilations_, padding_;
};

/// IX = OX, FX and IY = OY, FY.
std::vector<DimensionRelation> window_relations(const WindowAxis& x, const WindowAxis& y);

/// Gives the relations of a layer the padding that "auto_pad: SAME_UPPER" or "SAME_LOWER" stands for: as
/// much as the lengths ask for, the odd element at the end or at the beginning. Does nothing without it.
/// The layer must keep the limits of layer_limits.hpp, which its padding may pass afterwards.
void set_automatic_padding(Layer& layer, const onnx::NodeProto& node);

/// Throws NodeProblem unless images have one or two spatial axes, and as many before and after.
void check_image_shapes(const Shape& input, const Shape& output);

/// The attribute `kernel_shape`, or nothing. Throws NodeProblem when it is wrong.
std::optional<Shape> given_kernel_shape(const onnx::NodeProto& node, std::size_t spatial_axes);

}  // namespace zz::core::onnx_import
