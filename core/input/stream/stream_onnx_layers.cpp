#include "core/input/stream/stream_onnx_layers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <utility>

#include "core/input/onnx/onnx_layers.hpp"
#include "core/input/onnx/onnx_window.hpp"
#include "core/text/letter_case.hpp"

namespace zz::core::onnx_import {
namespace {

bool is_convolution(const std::string& type) { return type == "Conv" || type == "QLinearConv"; }
bool is_product(const std::string& type) { return type == "Gemm" || type == "MatMul"; }
bool is_pooling(const std::string& type) {
  return type == "MaxPool" || type == "AveragePool" || type == "GlobalMaxPool" ||
         type == "GlobalAveragePool";
}
constexpr std::size_t most_simd_axes = 4;
bool is_simd(const std::string& type) { return type == "Add" || type == "Mul"; }

bool has_equal_shapes(const onnx::NodeProto& node, const TensorShapes& shapes) {
  if (node.input_size() < 2) return false;
  const Shape* const first = shapes.find(node.input(0));
  const Shape* const second = shapes.find(node.input(1));
  return first != nullptr && second != nullptr && *first == *second && !first->empty() &&
         first->size() <= most_simd_axes;
}

/// Where the data of an operand come from.
struct OperandProducer {
  const char* operand;
  std::int64_t producer = StreamNode::no_producer;
};

/// Makes the operands constant or gives them their sources, and notes the order.
void connect(Layer& layer, const std::vector<OperandProducer>& operands) {
  layer.source_order.clear();
  for (const auto& [name, producer] : operands) {
    const int index = layer.operand_index(name);
    LayerOperand& operand = layer.operands[static_cast<std::size_t>(index)];
    operand.constant = producer == StreamNode::no_producer;
    operand.sources.clear();
    if (!operand.constant) operand.sources.push_back(producer);
    layer.source_order.push_back(index);
  }
}

LayerOperand& operand_of(Layer& layer, const char* name) {
  return layer.operands[static_cast<std::size_t>(layer.operand_index(name))];
}

void set_fixed_precisions(Layer& layer) {
  operand_of(layer, "O").precision = 16;
  operand_of(layer, "W").precision = 8;
  operand_of(layer, "I").precision = 8;
  layer.final_output_precision = 8;
}

constexpr std::int64_t pooling_precision = 8;

bool is_global(const std::string& type) { return type.rfind("Global", 0) == 0; }

Shape kernel_of(const StreamNode& node, const Shape& input) {
  const std::size_t axes = input.size() - 2;
  if (is_global(node.type())) return {input.begin() + 2, input.end()};
  if (const auto given = given_kernel_shape(node.proto(), axes)) return *given;
  throw NodeProblem("the attribute 'kernel_shape' is missing", "add the attribute 'kernel_shape'");
}

void check_ports(const onnx::NodeProto& node, int inputs) {
  if (node.input_size() < inputs || node.output_size() < 1)
    throw NodeProblem("inputs or the output are missing");
}

/// "[b][k][oy][ox]".
std::string brackets(const std::vector<std::string>& dimensions) {
  std::string text;
  for (const std::string& dimension : dimensions) text += "[" + lower_case(dimension) + "]";
  return text;
}

/// Conv and QLinearConv: the loop nest of make_conv_layer. Weights have a group index only when there are
/// groups. With rules.conv_operands_misread, weights of groups have no index of output channels, and
/// precisions are 16, 8 and 8 bits whatever the node says. Throws NodeProblem.
Layer conv_layer(const StreamNode& node, const TensorShapes& shapes, const Rules& rules) {
  Rules conv_rules = rules;  // one member for Conv, pooling and additions
  conv_rules.kernel_axes_exchanged = rules.window_axes_exchanged;
  GraphNode unconnected = node.node;
  unconnected.predecessors.clear();
  Layer layer = make_conv_layer(unconnected, shapes, conv_rules);
  layer.type = "conv";
  const bool grouped = layer.loop_size("G") > 1;
  std::string weight = "W[k][c][fy][fx]";
  std::vector<std::string> dimensions = {"K", "C", "FY", "FX"};
  if (grouped && rules.conv_operands_misread) {
    weight = "W[g][c][fy][fx]";
    dimensions[0] = "G";
  } else if (grouped) {
    weight = "W[g][k][c][fy][fx]";
    dimensions.insert(dimensions.begin(), "G");
  }
  layer.equation = "O[b][g][k][oy][ox] = " + weight + " * I[b][g][c][iy][ix]";
  operand_of(layer, "W").dimensions = dimensions;
  if (rules.conv_operands_misread) set_fixed_precisions(layer);
  if (!rules.padding_is_data) set_automatic_padding(layer, node.proto());
  const std::size_t weight_input = node.type() == "QLinearConv" && !rules.conv_operands_misread ? 3 : 1;
  connect(layer, {{"I", node.producer(0)}, {"W", node.producer(weight_input)}});
  return layer;
}

/// Gemm and MatMul: the loop nest of make_gemm_layer. With rules.product_operands_by_producer the first
/// input that a node produces is I and the second W; else I is the first input and W the second. Throws
/// NodeProblem.
Layer gemm_layer(const StreamNode& node, const TensorShapes& shapes, const Rules& rules) {
  std::int64_t input = node.producer(0), weight = node.producer(1);
  if (rules.product_operands_by_producer) {
    const std::vector<std::int64_t> predecessors = node.predecessors();
    if (predecessors.size() > 2) {
      throw NodeProblem(fmt::format("{} of its inputs are produced by other nodes, at most 2 can be",
                                    predecessors.size()));
    }
    input = predecessors.empty() ? StreamNode::no_producer : predecessors[0];
    weight = predecessors.size() < 2 ? StreamNode::no_producer : predecessors[1];
  }
  GraphNode counted = node.node;  // two predecessors are what tells that there are no weights
  counted.predecessors.assign(weight == StreamNode::no_producer ? 0 : 2, 0);
  Layer layer = make_gemm_layer(counted, shapes);
  layer.type = lower_case(node.type());
  connect(layer, {{"W", weight}, {"I", input}});
  return layer;
}

/// Largest, average and global pooling as the loop nest B, K, OX, OY, FX, FY with weights of no bits: what
/// moves is the input, and each output combines a window of it.
///
/// With rules.window_axes_exchanged the height is called X. With rules.pooling_repeated_by_channel a loop C
/// over the channels that no operand depends on multiplies work and cycles by the number of channels.
/// Throws NodeProblem.
Layer pooling_layer(const StreamNode& node, const TensorShapes& shapes, const Rules& rules) {
  check_ports(node.proto(), 1);
  const Shape input = shapes.require(node.proto().input(0));
  const Shape output = shapes.require(node.proto().output(0));
  check_image_shapes(input, output);
  const Windows windows(node.proto(), input, output, kernel_of(node, input));
  WindowAxis x = windows.axis(windows.axis_count() - 1), y;
  if (windows.axis_count() == 2) y = windows.axis(0);
  if (rules.window_axes_exchanged && windows.axis_count() == 2) std::swap(x, y);

  Layer layer;
  layer.id = node.node.id;
  layer.name = node.node.name;
  layer.type = "pooling";
  layer.equation = "O[b][k][oy][ox] = W[fy][fx] * I[b][k][iy][ix]";
  layer.loops = {{"B", output[0]}, {"K", output[1]}, {"OX", x.output}, {"OY", y.output}};
  if (rules.pooling_repeated_by_channel) layer.loops.push_back({"C", input[1]});
  layer.loops.push_back({"FX", x.kernel});
  layer.loops.push_back({"FY", y.kernel});
  layer.relations = window_relations(x, y);
  layer.operands = {{"O", {"B", "K", "OY", "OX"}, pooling_precision, false, {}},
                    {"W", {"FY", "FX"}, 0, false, {}},
                    {"I", {"B", "K", "IY", "IX"}, pooling_precision, false, {}}};
  layer.final_output_precision = pooling_precision;
  check_counts(layer);
  if (!rules.padding_is_data) set_automatic_padding(layer, node.proto());
  connect(layer, {{"I", node.producer(0)}, {"W", StreamNode::no_producer}});
  return layer;
}

/// Add and Mul of two tensors of one shape with 1 to 4 axes: OX; OX, OY; B, OX, OY; B, K, OX, OY. W is the
/// first input and I the second one; when one of them lies off chip it is W. With
/// rules.window_axes_exchanged X is the axis before Y. With rules.unfed_operands_lost an addition of two
/// tensors that both lie off chip never fetches I. Throws NodeProblem.
Layer simd_layer(const StreamNode& node, const TensorShapes& shapes, const Rules& rules) {
  check_ports(node.proto(), 2);
  const Shape output = shapes.require(node.proto().output(0));
  if (output.empty() || output.size() > most_simd_axes)
    throw NodeProblem(
        fmt::format("its output has {} axes, supported are 1 to {}", output.size(), most_simd_axes));
  const Precisions precisions = read_precisions(node.node);
  std::vector<std::string> loops = {"OX", "OY"};
  if (output.size() == 1) loops = {"OX"};
  if (output.size() >= 3) loops.insert(loops.begin(), "B");
  if (output.size() == 4) loops.insert(loops.begin() + 1, "K");

  Layer layer;
  layer.id = node.node.id;
  layer.name = node.node.name;
  layer.type = lower_case(node.type());
  for (std::size_t axis = 0; axis < loops.size(); ++axis)
    layer.loops.push_back({loops[axis], output[axis]});
  if (!rules.window_axes_exchanged && output.size() >= 2)
    std::swap(layer.loops[loops.size() - 2].size, layer.loops[loops.size() - 1].size);

  std::vector<std::string> dimensions = loops;
  if (output.size() >= 2) std::swap(dimensions[loops.size() - 2], dimensions[loops.size() - 1]);
  layer.equation = fmt::format("O{0} = I{0} * W{0}", brackets(dimensions));
  layer.operands = {{"O", dimensions, precisions.partial_sum, false, {}},
                    {"I", dimensions, precisions.activation, false, {}},
                    {"W", dimensions, precisions.weight, false, {}}};
  layer.final_output_precision = precisions.activation;

  const std::vector<std::int64_t> sources = node.predecessors();
  if (sources.size() >= 2) {
    connect(layer, {{"W", sources[0]}, {"I", sources[1]}});
  } else if (sources.size() == 1 || !rules.unfed_operands_lost) {
    connect(layer, {{"W", StreamNode::no_producer},
                    {"I", sources.empty() ? StreamNode::no_producer : sources[0]}});
  } else {
    connect(layer, {{"W", StreamNode::no_producer}});
  }
  return layer;
}

}  // namespace

const std::string& StreamNode::type() const { return node.proto->op_type(); }

std::vector<std::int64_t> StreamNode::predecessors() const {
  std::vector<std::int64_t> found;
  for (const std::int64_t producer : producers) {
    if (producer != no_producer) found.push_back(producer);
  }
  return found;
}

bool is_stream_layer(const StreamNode& node, const TensorShapes& shapes) {
  const std::string& type = node.type();
  return is_convolution(type) || is_product(type) || is_pooling(type) ||
         (is_simd(type) && has_equal_shapes(node.proto(), shapes));
}

Layer make_stream_layer(const StreamNode& node, const TensorShapes& shapes, const Rules& rules) {
  const std::string& type = node.type();
  Layer layer = is_convolution(type) ? conv_layer(node, shapes, rules)
                : is_product(type)   ? gemm_layer(node, shapes, rules)
                : is_pooling(type)   ? pooling_layer(node, shapes, rules)
                                     : simd_layer(node, shapes, rules);
  check_counts(layer);
  if (rules.layer_names_lost && is_pooling(type)) layer.name = fmt::format("Layer{}", layer.id);
  return layer;
}

std::vector<std::string> mapping_names(const StreamNode& node, const Layer& layer, const Rules& rules) {
  const std::string numbered = fmt::format("Layer{}", layer.id);
  if (!rules.mappings_by_type_only) return {node.node.name, numbered, node.type(), layer.type};
  if (is_product(node.type())) return {node.node.name, node.type()};
  return {numbered, is_convolution(node.type()) ? "conv" : node.type()};
}

}  // namespace zz::core::onnx_import
