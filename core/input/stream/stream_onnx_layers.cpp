#include "core/input/stream/stream_onnx_layers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/base/text.hpp"
#include "core/input/onnx/operators/convolution_nest.hpp"
#include "core/input/onnx/zigzag_layers.hpp"

namespace zz::core::onnx_import {
namespace {

bool is_convolution(const std::string& type) { return type == "Conv" || type == "QLinearConv"; }
bool is_product(const std::string& type) { return type == "Gemm" || type == "MatMul"; }
bool is_pooling(const std::string& type) {
  return type == "MaxPool" || type == "AveragePool" || type == "GlobalMaxPool" ||
         type == "GlobalAveragePool";
}
bool is_simd(const std::string& type) { return type == "Add" || type == "Mul"; }
constexpr std::size_t most_simd_axes = 4;

/// Where the data of an operand come from.
struct OperandProducer {
  const char* operand;
  std::int64_t producer = StreamNode::no_producer;
};

/// Makes the operands constant or gives them their sources, and notes the order.
void connect(Layer& layer, const std::vector<OperandProducer>& operands) {
  for (const auto& [name, producer] : operands) {
    const int index = layer.operand_index(name);
    LayerOperand& operand = layer.operands[static_cast<std::size_t>(index)];
    operand.constant = producer == StreamNode::no_producer;
    if (!operand.constant) operand.sources = {producer};
    layer.source_order.push_back(index);
  }
}

/// Conv and QLinearConv: the loop nest of zigzag_convolution(), and 16, 8 and 8 bits whatever the node
/// says. Weights have no index of output channels when there are groups, and else none of groups. The
/// second input counts as the weights.
Layer conv_layer(const StreamNode& node) {
  Layer layer = zigzag_convolution(node.node.name, node.view);
  layer.type = "conv";
  const bool grouped = layer.loop_size("G") > 1;
  layer.equation =
      fmt::format("O[b][g][k][oy][ox] = W[{}][c][fy][fx] * I[b][g][c][iy][ix]", grouped ? "g" : "k");
  LayerOperand& weight = layer.operands[static_cast<std::size_t>(layer.operand_index("W"))];
  weight.dimensions = {grouped ? "G" : "K", "C", "FY", "FX"};
  weight.precision = 8;
  layer.operands[static_cast<std::size_t>(layer.operand_index("I"))].precision = 8;
  layer.operands[static_cast<std::size_t>(layer.operand_index("O"))].precision = 16;
  layer.final_output_precision = 8;
  connect(layer, {{"I", node.producer(0)}, {"W", node.producer(1)}});
  return layer;
}

/// Gemm and MatMul: the first input that a node produces is I and the second W.
Layer gemm_layer(const StreamNode& node) {
  const std::vector<std::int64_t> predecessors = node.predecessors();
  if (predecessors.size() > 2)
    throw NodeProblem(
        fmt::format("{} of its inputs are produced by other nodes, at most 2 can be", predecessors.size()));
  const bool computed_weights = predecessors.size() == 2;
  Layer layer = zigzag_product(node.node.name, node.view, computed_weights);
  layer.type = lower_case(node.type());
  connect(layer, {{"W", computed_weights ? predecessors[1] : StreamNode::no_producer},
                  {"I", predecessors.empty() ? StreamNode::no_producer : predecessors[0]}});
  return layer;
}

Shape pooling_kernel(const StreamNode& node, const Shape& input) {
  if (node.type().rfind("Global", 0) == 0) return spatial_lengths(input);
  if (const auto given = node.view.attributes().integers("kernel_shape")) return *given;
  throw NodeProblem("the attribute 'kernel_shape' is missing", "add the attribute 'kernel_shape'");
}

/// Largest, average and global pooling as the loop nest B, K, OX, OY, C, FX, FY with weights of no bits:
/// the height is X. No operand depends on the loop C over the channels.
Layer pooling_layer(const StreamNode& node) {
  const Shape input = zigzag_shape(node.view.input(0)), output = zigzag_shape(node.view.output(0));
  check_image_shapes(input, output);
  auto windows = zigzag_windows(node.view, input, pooling_kernel(node, input));
  Shape lengths = spatial_lengths(input), positions = spatial_lengths(output);
  std::reverse(windows.begin(), windows.end());
  std::reverse(lengths.begin(), lengths.end());
  std::reverse(positions.begin(), positions.end());
  Product product = convolution_nest(output[0], {1, output[1], input[1]}, lengths, positions, windows);
  product.loops.erase(product.loops.begin() + 2);  // G
  product.output_dimensions = {"B", "K", "OY", "OX"};
  product.weight.dimensions = {"FY", "FX"};
  product.input.dimensions = {"B", "K", "IY", "IX"};
  Layer layer = make_layer(fmt::format("Layer{}", node.node.id), "pooling", product, {0, 8, 8, 8});
  connect(layer, {{"I", node.producer(0)}, {"W", StreamNode::no_producer}});
  return layer;
}

/// Add and Mul of two tensors of one shape with 1 to 4 axes: OX; OX, OY; B, OX, OY; B, K, OX, OY, where X
/// is the axis before Y. W is the first input and I the second one; when one of them lies off chip it is W,
/// and when both do I is never fetched.
Layer simd_layer(const StreamNode& node) {
  const Shape output = zigzag_shape(node.view.output(0));
  if (output.empty() || output.size() > most_simd_axes)
    throw NodeProblem(
        fmt::format("its output has {} axes, supported are 1 to {}", output.size(), most_simd_axes));
  std::vector<std::string> loops = {"OX", "OY"};
  if (output.size() == 1) loops = {"OX"};
  if (output.size() >= 3) loops.insert(loops.begin(), "B");
  if (output.size() == 4) loops.insert(loops.begin() + 1, "K");
  Product product;
  product.weight_first = false;
  for (std::size_t axis = 0; axis < loops.size(); ++axis)
    product.loops.push_back({loops[axis], output[axis]});
  if (loops.size() >= 2) std::swap(loops[loops.size() - 2], loops[loops.size() - 1]);
  product.output_dimensions = product.weight.dimensions = product.input.dimensions = loops;
  Layer layer = make_layer(node.node.name, lower_case(node.type()), product, zigzag_bits(node.view));
  const std::vector<std::int64_t> sources = node.predecessors();
  if (sources.size() >= 2)
    connect(layer, {{"W", sources[0]}, {"I", sources[1]}});
  else if (sources.size() == 1)
    connect(layer, {{"W", StreamNode::no_producer}, {"I", sources[0]}});
  else
    connect(layer, {{"W", StreamNode::no_producer}});
  return layer;
}

}  // namespace

std::vector<std::int64_t> StreamNode::predecessors() const {
  std::vector<std::int64_t> found;
  for (const std::int64_t producer : producers)
    if (producer != no_producer) found.push_back(producer);
  return found;
}

bool is_stream_layer(const StreamNode& node) {
  const std::string& type = node.type();
  if (is_convolution(type) || is_product(type) || is_pooling(type)) return true;
  if (!is_simd(type) || !node.view.has_input(0) || !node.view.has_input(1)) return false;
  const Tensor &first = node.view.input(0), &second = node.view.input(1);
  return first.has_full_shape() && first.shape == second.shape && !first.shape->empty() &&
         first.shape->size() <= most_simd_axes;
}

Layer make_stream_layer(const StreamNode& node) {
  const std::string& type = node.type();
  Layer layer = is_convolution(type) ? conv_layer(node)
                : is_product(type)   ? gemm_layer(node)
                : is_pooling(type)   ? pooling_layer(node)
                                     : simd_layer(node);
  layer.id = node.node.id;
  check_counts(layer);
  return layer;
}

std::vector<std::string> mapping_names(const StreamNode& node) {
  if (is_product(node.type())) return {node.node.name, node.type()};
  return {fmt::format("Layer{}", node.node.id), is_convolution(node.type()) ? "conv" : node.type()};
}

}  // namespace zz::core::onnx_import
