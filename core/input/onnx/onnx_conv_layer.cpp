#include "core/input/onnx/onnx_conv_layer.hpp"

#include <array>
#include <fmt/format.h>

#include "core/input/onnx/onnx_attributes.hpp"
#include "core/input/onnx/onnx_node_problem.hpp"
#include "core/input/onnx/onnx_operands.hpp"
#include "core/input/onnx/onnx_window.hpp"

namespace zz::core::onnx_import {
namespace {

struct Convolution {
  std::int64_t batch = 1, group = 1;
  std::int64_t output_channels = 1, input_channels = 1;  // of one group
  WindowAxis x, y;
};

std::int64_t divide_rounding_up(std::int64_t dividend, std::int64_t divisor) {
  return dividend / divisor + (dividend % divisor != 0);
}

std::vector<std::int64_t> kernel_shape(const onnx::NodeProto& node, const TensorShapes& shapes,
                                       std::size_t spatial_axes) {
  if (const auto given = given_kernel_shape(node, spatial_axes)) return *given;
  const int weight = node.op_type() == "QLinearConv" ? 3 : 1;
  const Shape* shape = node.input_size() > weight ? shapes.find(node.input(weight)) : nullptr;
  if (shape == nullptr || shape->size() != spatial_axes + 2) {
    throw NodeProblem("the attribute 'kernel_shape' is missing, and the shape of the weights is unknown",
                      "add the attribute 'kernel_shape'");
  }
  return {shape->begin() + 2, shape->end()};
}

Convolution read_convolution(const onnx::NodeProto& node, const TensorShapes& shapes, const Rules& rules) {
  if (node.input_size() < 2 || node.output_size() < 1)
    throw NodeProblem("inputs or the output are missing");
  const Shape input = shapes.require(node.input(0));
  const Shape output = shapes.require(node.output(0));
  check_image_shapes(input, output);

  const std::size_t spatial = input.size() - 2;
  const Windows windows(node, input, output, kernel_shape(node, shapes, spatial));

  Convolution convolution;
  convolution.batch = input[0];
  convolution.group = integer_attribute(node, "group", 1);
  if (convolution.group < 1)
    throw NodeProblem(fmt::format("the attribute 'group' is {}", convolution.group));
  convolution.output_channels = divide_rounding_up(output[1], convolution.group);
  convolution.input_channels = divide_rounding_up(input[1], convolution.group);

  // A one-dimensional convolution has only a width.
  const bool swapped = rules.kernel_axes_exchanged && spatial == 2;
  convolution.x = windows.axis(spatial - 1, swapped ? 0 : spatial - 1);
  if (spatial == 2) convolution.y = windows.axis(0, swapped ? 1 : 0);
  return convolution;
}

/// What all convolutions have in common.
Layer any_convolution() {
  Layer layer;
  layer.equation = "O[b][g][k][oy][ox] = W[g][k][c][fy][fx] * I[b][g][c][iy][ix]";
  for (const char* loop : {"B", "K", "G", "OX", "OY", "C", "FX", "FY"}) layer.loops.push_back({loop});
  layer.operands = {{"O", {"B", "G", "K", "OY", "OX"}, 0, false, {}},
                    {"W", {"G", "K", "C", "FY", "FX"}, 0, false, {}},
                    {"I", {"B", "G", "C", "IY", "IX"}, 0, false, {}}};
  return layer;
}

}  // namespace

Layer make_conv_layer(const GraphNode& node, const TensorShapes& shapes, const Rules& rules) {
  const Convolution convolution = read_convolution(*node.proto, shapes, rules);
  const Precisions precisions = read_precisions(node);
  const WindowAxis& x = convolution.x;
  const WindowAxis& y = convolution.y;

  static const Layer any = any_convolution();
  Layer layer = any;
  layer.id = node.id;
  layer.name = node.name;
  layer.type = node.proto->op_type();
  const std::array sizes{convolution.batch, convolution.output_channels, convolution.group, x.output,
                         y.output,          convolution.input_channels,  x.kernel,          y.kernel};
  for (std::size_t loop = 0; loop < sizes.size(); ++loop) layer.loops[loop].size = sizes[loop];
  layer.relations = window_relations(x, y);
  layer.operands[0].precision = precisions.partial_sum;
  layer.operands[1].precision = precisions.weight;
  layer.operands[2].precision = precisions.activation;
  layer.final_output_precision = precisions.activation;
  connect_operands(layer, node);
  check_mac_count(layer);
  return layer;
}

}  // namespace zz::core::onnx_import
