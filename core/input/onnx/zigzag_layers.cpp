#include "core/input/onnx/zigzag_layers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "core/input/onnx/operators/convolution_nest.hpp"
#include "core/input/onnx/operators/matrix_nest.hpp"

namespace zz::core::onnx_import {
namespace {

std::int64_t divided_up(std::int64_t dividend, std::int64_t divisor) {
  return dividend / divisor + (dividend % divisor != 0);
}

Shape kernel_of(const OperatorNode& node, std::size_t spatial_axes) {
  if (const auto given = node.attributes().integers("kernel_shape")) return *given;
  const std::size_t weight = node.op_type() == "QLinearConv" ? 3 : 1;
  const Shape* const shape = node.shape(weight);
  if (shape == nullptr || shape->size() != spatial_axes + 2 || !node.input(weight).has_full_shape())
    throw NodeProblem("the attribute 'kernel_shape' is missing, and the shape of the weights is unknown",
                      "add the attribute 'kernel_shape'");
  return spatial_lengths(*shape);
}

Shape rows_and_columns(const OperatorNode& node) {
  Shape shape = zigzag_shape(node.input(0));
  if (node.attributes().integer("transA", 0) == 0) return shape;
  if (shape.size() != 2)
    throw NodeProblem(fmt::format("'transA' needs an input of 2 axes, it has {}", shape.size()));
  std::swap(shape[0], shape[1]);
  return shape;
}

void check_product_shapes(const Shape& input, const Shape& output) {
  if (input.size() != output.size())
    throw NodeProblem(fmt::format("its first input has {} axes and its output {}, expected are as many",
                                  input.size(), output.size()),
                      "reshape the operands so that the first input and the output have the same axes");
  if (input.size() < 2 || input.size() > 4)
    throw NodeProblem(fmt::format("its tensors have {} axes, supported are 2, 3 and 4", input.size()));
  for (std::size_t i = 0; i + 1 < input.size(); ++i)
    if (input[i] != output[i])
      throw NodeProblem(fmt::format("axis {} of its first input has length {} and of its output {}", i,
                                    input[i], output[i]),
                        "axes before the last must agree; broadcasting is not supported");
}

}  // namespace

OperandBits zigzag_bits(const OperatorNode& node) { return with_attributes({8, 8, 16, 8}, node); }

Shape zigzag_shape(const Tensor& tensor) {
  const std::string because = tensor.unknown_because.empty() ? "" : ": " + tensor.unknown_because;
  const char* const hint =
      "give every input of the network a fixed shape, or add the shapes with "
      "onnx.shape_inference.infer_shapes";
  if (!tensor.shape)
    throw NodeProblem(fmt::format("the shape of tensor '{}' is unknown{}", tensor.name, because), hint);
  Shape shape = *tensor.shape;
  if (!shape.empty() && shape[0] <= 0) shape[0] = 1;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] <= 0)
      throw NodeProblem(
          fmt::format("the length of axis {} of tensor '{}' is unknown or zero{}", i, tensor.name, because),
          hint);
  return shape;
}

std::int64_t zigzag_output_elements(const OperatorNode& node) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (!node.has_output(i) || !node.output(i).shape) continue;
    Shape shape = *node.output(i).shape;
    if (!shape.empty()) shape[0] = std::max<std::int64_t>(shape[0], 1);
    for (std::int64_t& length : shape) length = std::max<std::int64_t>(length, 0);
    const std::int64_t count = element_count(shape);
    sum = count > largest - sum ? largest : sum + count;
  }
  return sum;
}

std::vector<std::int64_t> predecessors_of(const Network& network, const NetworkNode& node) {
  std::vector<std::int64_t> predecessors;
  for (const std::int64_t input : node.inputs) {
    if (input < 0) continue;
    const std::int64_t producer = network.tensors[static_cast<std::size_t>(input)].producer;
    if (producer >= 0) predecessors.push_back(producer);
  }
  return predecessors;
}

std::vector<MovingWindow> zigzag_windows(const OperatorNode& node, const Shape& image,
                                         const Shape& kernel) {
  std::vector<MovingWindow> windows = moving_windows(node, spatial_lengths(image), kernel);
  if (node.attributes().text("auto_pad", "NOTSET").rfind("SAME", 0) == 0)
    for (MovingWindow& window : windows) window.padding_low = window.padding_high = 0;
  return windows;
}

void check_image_shapes(const Shape& input, const Shape& output) {
  if (input.size() != output.size())
    throw NodeProblem(fmt::format("its input has {} axes and its output {}, expected are as many",
                                  input.size(), output.size()));
  if (input.size() != 3 && input.size() != 4)
    throw NodeProblem(fmt::format(
        "its tensors have {} axes; one- and two-dimensional images are supported (3 and 4 axes)",
        input.size()));
  if (input[0] != output[0])
    throw NodeProblem(fmt::format("the batch size of its input ({}) differs from its output's ({})",
                                  input[0], output[0]));
}

Layer zigzag_convolution(const std::string& name, const OperatorNode& node) {
  const Shape input = zigzag_shape(node.input(0));
  auto windows = zigzag_windows(node, input, kernel_of(node, spatial_lengths(input).size()));
  const Shape output = zigzag_shape(node.output(0));
  check_image_shapes(input, output);
  std::reverse(windows.begin(), windows.end());
  const std::int64_t groups = node.attributes().integer("group", 1);
  if (groups < 1) throw below_smallest("group", groups, 1);
  const ChannelsOfGroups channels{groups, divided_up(output[1], groups), divided_up(input[1], groups)};
  Layer layer = make_layer(
      name, node.op_type(),
      convolution_nest(input[0], channels, spatial_lengths(input), spatial_lengths(output), windows),
      zigzag_bits(node));
  check_counts(layer);
  return layer;
}

Layer zigzag_product(const std::string& name, const OperatorNode& node, bool computed_weights) {
  const Shape input = rows_and_columns(node), output = zigzag_shape(node.output(0));
  check_product_shapes(input, output);
  OperandBits bits = zigzag_bits(node);
  if (computed_weights) bits.weight = bits.input;
  const Shape batch(input.begin(), input.end() - 2);
  const Product product = matrix_nest(batch, computed_weights ? batch : Shape(), *(input.end() - 2),
                                      input.back(), output.back());
  Layer layer = make_layer(name, node.op_type(), product, bits);
  check_counts(layer);
  return layer;
}

}  // namespace zz::core::onnx_import
