#include "core/readers/onnx_conv_layer.hpp"

#include <fmt/format.h>

#include "core/readers/onnx_attributes.hpp"
#include "core/readers/onnx_node_problem.hpp"
#include "core/readers/onnx_operands.hpp"

namespace zz::core::onnx_import {
namespace {

/// Everything that belongs to one spatial axis.
struct Axis {
  std::int64_t input = 1, output = 1;
  std::int64_t kernel = 1, stride = 1, dilation = 1;
  std::int64_t padding_low = 0, padding_high = 0;
};

struct Convolution {
  std::int64_t batch = 1, group = 1;
  std::int64_t output_channels = 1, input_channels = 1;  // of one group
  Axis x, y;
};

std::int64_t divide_rounding_up(std::int64_t dividend, std::int64_t divisor) {
  return dividend / divisor + (dividend % divisor != 0);
}

std::vector<std::int64_t> kernel_shape(const onnx::NodeProto& node, const TensorShapes& shapes,
                                       std::size_t spatial_axes) {
  if (const auto given = integers_attribute(node, "kernel_shape", spatial_axes, 1)) return *given;
  const int weight = node.op_type() == "QLinearConv" ? 3 : 1;
  const Shape* shape = node.input_size() > weight ? shapes.find(node.input(weight)) : nullptr;
  if (shape == nullptr || shape->size() != spatial_axes + 2) {
    throw NodeProblem("the attribute 'kernel_shape' is missing, and the shape of the weights is unknown",
                      "add the attribute 'kernel_shape'");
  }
  return {shape->begin() + 2, shape->end()};
}

void check_shapes(const Shape& input, const Shape& output) {
  if (input.size() != output.size()) {
    throw NodeProblem(fmt::format("its input has {} axes and its output {}, expected are as many",
                                  input.size(), output.size()));
  }
  if (input.size() != 3 && input.size() != 4) {
    throw NodeProblem(
        fmt::format("its tensors have {} axes; one- and two-dimensional convolutions are supported "
                    "(3 and 4 axes)",
                    input.size()));
  }
  if (input[0] != output[0]) {
    throw NodeProblem(fmt::format("the batch size of its input ({}) differs from its output's ({})",
                                  input[0], output[0]));
  }
}

Convolution read_convolution(const onnx::NodeProto& node, const TensorShapes& shapes,
                             const ReaderOptions& options) {
  if (node.input_size() < 2 || node.output_size() < 1)
    throw NodeProblem("inputs or the output are missing");
  const Shape input = shapes.require(node.input(0));
  const Shape output = shapes.require(node.output(0));
  check_shapes(input, output);

  const std::size_t spatial = input.size() - 2;
  const std::vector<std::int64_t> ones(spatial, 1);
  const auto kernel = kernel_shape(node, shapes, spatial);
  const auto strides = integers_attribute(node, "strides", spatial, 1).value_or(ones);
  const auto dilations = integers_attribute(node, "dilations", spatial, 1).value_or(ones);
  const auto pads = integers_attribute(node, "pads", 2 * spatial, 0).value_or(Shape(2 * spatial, 0));

  Convolution convolution;
  convolution.batch = input[0];
  convolution.group = integer_attribute(node, "group", 1);
  if (convolution.group < 1)
    throw NodeProblem(fmt::format("the attribute 'group' is {}", convolution.group));
  convolution.output_channels = divide_rounding_up(output[1], convolution.group);
  convolution.input_channels = divide_rounding_up(input[1], convolution.group);

  // ONNX lists the height first. A one-dimensional convolution has only a width.
  const auto read_axis = [&](std::size_t shape_axis, std::size_t attribute) {
    return Axis{input[shape_axis + 2], output[shape_axis + 2], kernel[attribute],        strides[attribute],
                dilations[attribute],  pads[attribute],        pads[attribute + spatial]};
  };
  const bool swapped = options.zigzag_compat && spatial == 2;
  convolution.x = read_axis(spatial - 1, swapped ? 0 : spatial - 1);
  if (spatial == 2) convolution.y = read_axis(0, swapped ? 1 : 0);
  return convolution;
}

DimensionRelation make_relation(const char* data, const char* output_loop, const char* filter_loop,
                                const Axis& axis) {
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

Layer make_conv_layer(const GraphNode& node, const TensorShapes& shapes, const ReaderOptions& options) {
  const Convolution convolution = read_convolution(*node.proto, shapes, options);
  const Precisions precisions = read_precisions(node);
  const Axis& x = convolution.x;
  const Axis& y = convolution.y;

  Layer layer;
  layer.id = node.id;
  layer.name = node.name;
  layer.type = node.proto->op_type();
  layer.equation = "O[b][g][k][oy][ox] = W[g][k][c][fy][fx] * I[b][g][c][iy][ix]";
  layer.loops = {{"B", convolution.batch}, {"K", convolution.output_channels},
                 {"G", convolution.group}, {"OX", x.output},
                 {"OY", y.output},         {"C", convolution.input_channels},
                 {"FX", x.kernel},         {"FY", y.kernel}};
  layer.relations = {make_relation("IX", "OX", "FX", x), make_relation("IY", "OY", "FY", y)};
  layer.operands = {{"O", {"B", "G", "K", "OY", "OX"}, precisions.partial_sum, false, {}},
                    {"W", {"G", "K", "C", "FY", "FX"}, precisions.weight, false, {}},
                    {"I", {"B", "G", "C", "IY", "IX"}, precisions.activation, false, {}}};
  layer.final_output_precision = precisions.activation;
  connect_operands(layer, node);
  check_mac_count(layer);
  return layer;
}

}  // namespace zz::core::onnx_import
