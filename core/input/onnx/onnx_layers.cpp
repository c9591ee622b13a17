#include "core/input/onnx/onnx_layers.hpp"

#include <array>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <utility>

#include "core/input/onnx/onnx_window.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/workload/layer_limits.hpp"

namespace zz::core::onnx_import {
namespace {

std::int64_t read_bits(const GraphNode& node, const std::string& attribute, std::int64_t otherwise) {
  const std::int64_t bits = integer_attribute(*node.proto, attribute, otherwise);
  if (bits < 0 || bits > widest_number) {
    throw NodeProblem(fmt::format("the attribute '{}' is {}, expected are bits per element (0 to {})",
                                  attribute, bits, widest_number));
  }
  return bits;
}

/// Marks the operands I and W of the layer as constant or gives them their sources. Without predecessors
/// both are constant; with one, W is; with two, the first feeds I and the second W.
void connect_operands(Layer& layer, const GraphNode& node) {
  const std::vector<std::int64_t>& predecessors = node.predecessors;
  if (predecessors.size() > 2) {
    throw NodeProblem(
        fmt::format("{} of its inputs are produced by other nodes, at most 2 can be", predecessors.size()),
        "fold nodes that compute constants (biases, scales) into initializers before exporting");
  }
  LayerOperand& input = layer.operands[layer.operand_index("I")];
  LayerOperand& weight = layer.operands[layer.operand_index("W")];
  input.constant = predecessors.empty();
  weight.constant = predecessors.size() < 2;
  if (!predecessors.empty()) input.sources = {predecessors[0]};
  if (predecessors.size() == 2) weight.sources = {predecessors[1]};
  layer.source_order = {layer.operand_index("W"), layer.operand_index("I")};
}

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

const char* const batch_names[] = {"B", "H"};
const char* const batch_brackets[] = {"", "[b]", "[b][h]"};

Shape input_shape(const onnx::NodeProto& node, const TensorShapes& shapes) {
  Shape shape = shapes.require(node.input(0));
  if (integer_attribute(node, "transA", 0) != 0) {
    if (shape.size() != 2) {
      throw NodeProblem(fmt::format("'transA' needs an input of 2 axes, it has {}", shape.size()));
    }
    std::swap(shape[0], shape[1]);
  }
  return shape;
}

void check_shapes(const Shape& input, const Shape& output) {
  if (input.size() != output.size()) {
    throw NodeProblem(fmt::format("its first input has {} axes and its output {}, expected are as many",
                                  input.size(), output.size()),
                      "reshape the operands so that the first input and the output have the same axes");
  }
  if (input.size() < 2 || input.size() > 4) {
    throw NodeProblem(fmt::format("its tensors have {} axes, supported are 2, 3 and 4", input.size()));
  }
  for (std::size_t i = 0; i + 1 < input.size(); ++i) {
    if (input[i] == output[i]) continue;
    throw NodeProblem(fmt::format("axis {} of its first input has length {} and of its output {}", i,
                                  input[i], output[i]),
                      "axes before the last must agree; broadcasting is not supported");
  }
}

}  // namespace

Precisions read_precisions(const GraphNode& node) {
  Precisions precisions;
  precisions.weight = read_bits(node, "weight_size", precisions.weight);
  precisions.activation = read_bits(node, "act_size", precisions.activation);
  precisions.partial_sum = read_bits(node, "output_size", 2 * precisions.activation);
  return precisions;
}

void check_counts(const Layer& layer) {
  if (const std::string problem = count_problem(layer); !problem.empty())
    throw NodeProblem("it " + problem, "check the shapes of its tensors and its attributes");
}

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
  check_counts(layer);
  return layer;
}

Layer make_gemm_layer(const GraphNode& node, const TensorShapes& shapes) {
  if (node.proto->input_size() < 2 || node.proto->output_size() < 1) {
    throw NodeProblem("inputs or the output are missing");
  }
  const Shape input = input_shape(*node.proto, shapes);
  const Shape output = shapes.require(node.proto->output(0));
  check_shapes(input, output);
  const Precisions precisions = read_precisions(node);
  const std::size_t batch_axes = input.size() - 2;
  const bool variable_weights = node.predecessors.size() >= 2;

  Layer layer;
  layer.id = node.id;
  layer.name = node.name;
  layer.type = node.proto->op_type();
  const char* const batch = batch_brackets[batch_axes];
  layer.equation =
      fmt::format("O{0}[d][k] = I{0}[d][c] * W{1}[c][k]", batch, variable_weights ? batch : "");
  layer.loops = {{"C", input[batch_axes + 1]}, {"D", input[batch_axes]}, {"K", output[batch_axes + 1]}};
  std::vector<std::string> batch_dimensions;
  for (std::size_t i = 0; i < batch_axes; ++i) {
    layer.loops.push_back({batch_names[i], input[i]});
    batch_dimensions.push_back(batch_names[i]);
  }
  const auto dimensions = [&](bool batched, const char* rows, const char* columns) {
    std::vector<std::string> names = batched ? batch_dimensions : std::vector<std::string>{};
    names.insert(names.end(), {rows, columns});
    return names;
  };
  layer.operands = {{"O", dimensions(true, "D", "K"), precisions.partial_sum, false, {}},
                    {"I", dimensions(true, "D", "C"), precisions.activation, false, {}},
                    {"W",
                     dimensions(variable_weights, "C", "K"),
                     variable_weights ? precisions.activation : precisions.weight,
                     false,
                     {}}};
  layer.final_output_precision = precisions.activation;
  connect_operands(layer, node);
  check_counts(layer);
  return layer;
}

}  // namespace zz::core::onnx_import
