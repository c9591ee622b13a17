#include "core/input/onnx/onnx_gemm_layer.hpp"

#include <fmt/format.h>
#include <utility>

#include "core/input/onnx/onnx_attributes.hpp"
#include "core/input/onnx/onnx_node_problem.hpp"
#include "core/input/onnx/onnx_operands.hpp"

namespace zz::core::onnx_import {
namespace {

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
  check_mac_count(layer);
  return layer;
}

}  // namespace zz::core::onnx_import
