#include "core/input/onnx/operator_answer.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace zz::core::onnx_import {
namespace {

std::string dimension_problem(const Product& product, const std::vector<std::string>& dimensions) {
  for (const std::string& dimension : dimensions) {
    const bool known = std::any_of(product.loops.begin(), product.loops.end(),
                                   [&](const LoopDimension& loop) { return loop.name == dimension; });
    if (!known) return fmt::format("an operand has the dimension '{}', which is no loop", dimension);
  }
  return "";
}

std::string operand_problem(const ProductOperand& operand, const OperatorNode& node, std::size_t product) {
  const bool reads_input = operand.input >= 0 && node.has_input(static_cast<std::size_t>(operand.input));
  const bool reads_product = operand.product >= 0 && static_cast<std::size_t>(operand.product) < product;
  if (reads_input != reads_product) return "";
  return fmt::format(
      "an operand reads neither an input of the node nor an earlier product (input {}, product {})",
      operand.input, operand.product);
}

}  // namespace

std::string answer_problem(const OperatorAnswer& answer, const OperatorNode& node) {
  if (answer.outputs.size() > node.output_count())
    return fmt::format("it tells of {} outputs, the node has {}", answer.outputs.size(),
                       node.output_count());
  for (const OperatorAnswer::Output& output : answer.outputs)
    for (const std::int64_t length : output.shape.value_or(Shape{}))
      if (length < unknown_length) return fmt::format("an output has an axis of length {}", length);
  for (std::size_t i = 0; i < answer.products.size(); ++i) {
    const Product& product = answer.products[i];
    if (product.loops.empty()) return "a product has no loops";
    for (const LoopDimension& loop : product.loops)
      if (loop.size < 0) return fmt::format("the loop {} has {} iterations", loop.name, loop.size);
    for (const auto* dimensions :
         {&product.output_dimensions, &product.weight.dimensions, &product.input.dimensions})
      if (const std::string problem = dimension_problem(product, *dimensions); !problem.empty())
        return problem;
    for (const ProductOperand* operand : {&product.weight, &product.input})
      if (const std::string problem = operand_problem(*operand, node, i); !problem.empty()) return problem;
    if (product.output >= 0 && !node.has_output(static_cast<std::size_t>(product.output)))
      return fmt::format("a product writes output {}, which the node does not have", product.output);
  }
  return "";
}

}  // namespace zz::core::onnx_import
