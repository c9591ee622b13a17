#include "core/input/stream/stream_onnx_products.hpp"

#include <fmt/format.h>

#include "core/input/onnx/onnx_conv_layer.hpp"
#include "core/input/onnx/onnx_gemm_layer.hpp"
#include "core/input/onnx/onnx_node_problem.hpp"
#include "core/input/onnx/onnx_window.hpp"
#include "core/text/letter_case.hpp"

namespace zz::core::onnx_import {
namespace {

LayerOperand& operand_of(Layer& layer, const char* name) {
  return layer.operands[static_cast<std::size_t>(layer.operand_index(name))];
}

void set_fixed_precisions(Layer& layer) {
  operand_of(layer, "O").precision = 16;
  operand_of(layer, "W").precision = 8;
  operand_of(layer, "I").precision = 8;
  layer.final_output_precision = 8;
}

}  // namespace

Layer make_stream_conv_layer(const StreamNode& node, const TensorShapes& shapes, const Rules& rules) {
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

Layer make_stream_gemm_layer(const StreamNode& node, const TensorShapes& shapes, const Rules& rules) {
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

}  // namespace zz::core::onnx_import
