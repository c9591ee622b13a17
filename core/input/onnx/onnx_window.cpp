#include "core/input/onnx/onnx_window.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <utility>

#include "core/input/onnx/onnx_graph.hpp"

namespace zz::core::onnx_import {
namespace {

DimensionRelation make_relation(const char* data, const char* output_loop, const char* filter_loop,
                                const WindowAxis& axis) {
  DimensionRelation relation;
  relation.data = data;
  relation.stride = axis.stride;
  relation.output_loop = output_loop;
  relation.dilation = axis.dilation;
  relation.filter_loop = filter_loop;
  relation.size = axis.input;
  relation.padding_low = axis.padding_low;
  relation.padding_high = axis.padding_high;
  relation.has_padding = true;
  return relation;
}

}  // namespace

Windows::Windows(const onnx::NodeProto& node, const Shape& input, const Shape& output, Shape kernel)
    : input_(input), output_(output), kernel_(std::move(kernel)) {
  const std::size_t axes = kernel_.size();
  const Shape ones(axes, 1);
  strides_ = integers_attribute(node, "strides", axes, 1).value_or(ones);
  dilations_ = integers_attribute(node, "dilations", axes, 1).value_or(ones);
  padding_ = integers_attribute(node, "pads", 2 * axes, 0).value_or(Shape(2 * axes, 0));
}

WindowAxis Windows::axis(std::size_t lengths, std::size_t attributes) const {
  return {input_[lengths + leading_axes],
          output_[lengths + leading_axes],
          kernel_[attributes],
          strides_[attributes],
          dilations_[attributes],
          padding_[attributes],
          padding_[attributes + axis_count()]};
}

std::vector<DimensionRelation> window_relations(const WindowAxis& x, const WindowAxis& y) {
  return {make_relation("IX", "OX", "FX", x), make_relation("IY", "OY", "FY", y)};
}

void set_automatic_padding(Layer& layer, const onnx::NodeProto& node) {
  const onnx::AttributeProto* mode = find_attribute(node, "auto_pad");
  if (mode == nullptr || (mode->s() != "SAME_UPPER" && mode->s() != "SAME_LOWER")) return;
  for (DimensionRelation& relation : layer.relations) {
    const std::int64_t reach = (layer.loop_size(relation.output_loop) - 1) * relation.stride +
                               (layer.loop_size(relation.filter_loop) - 1) * relation.dilation + 1;
    const std::int64_t total = std::max<std::int64_t>(0, reach - relation.size);
    const std::int64_t smaller = total / 2;
    relation.padding_low = mode->s() == "SAME_UPPER" ? smaller : total - smaller;
    relation.padding_high = total - relation.padding_low;
  }
}

void check_image_shapes(const Shape& input, const Shape& output) {
  if (input.size() != output.size()) {
    throw NodeProblem(fmt::format("its input has {} axes and its output {}, expected are as many",
                                  input.size(), output.size()));
  }
  if (input.size() != leading_axes + 1 && input.size() != leading_axes + 2) {
    throw NodeProblem(fmt::format(
        "its tensors have {} axes; one- and two-dimensional images are supported (3 and 4 axes)",
        input.size()));
  }
  if (input[0] != output[0]) {
    throw NodeProblem(fmt::format("the batch size of its input ({}) differs from its output's ({})",
                                  input[0], output[0]));
  }
}

std::optional<Shape> given_kernel_shape(const onnx::NodeProto& node, std::size_t spatial_axes) {
  return integers_attribute(node, "kernel_shape", spatial_axes, 1);
}

}  // namespace zz::core::onnx_import
