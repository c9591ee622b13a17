#include "core/input/onnx/operators/operator.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <string>
#include <unordered_map>

namespace zz::core::onnx_import {

std::int64_t mac_count(const Product& product) {
  std::int64_t count = 1;
  for (const LoopDimension& loop : product.loops) {
    if (loop.size == 0) return 0;
    if (count > std::numeric_limits<std::int64_t>::max() / loop.size)
      return std::numeric_limits<std::int64_t>::max();
    count *= loop.size;
  }
  return count;
}

namespace {

std::vector<Operator> collect() {
  std::vector<Operator> all;
  for (const auto family :
       {constant_operators, elementwise_operators, rearranging_operators, joining_operators,
        indexing_operators, reducing_operators, normalising_operators, quantising_operators,
        image_operators, signal_operators, convolution_operators, matrix_product_operators,
        einsum_operators, recurrent_operators, attention_operators, expert_operators}) {
    const std::vector<Operator> members = family();
    all.insert(all.end(), members.begin(), members.end());
  }
  return all;
}

std::string key(std::string_view domain, std::string_view name) {
  return std::string(domain == "ai.onnx" ? standard_domain : domain) + ":" + std::string(name);
}

}  // namespace

std::string_view word_for(Operator::Work work) {
  switch (work) {
    case Operator::Work::products:
      return "products";
    case Operator::Work::vector:
      return "vector";
    case Operator::Work::rearrangement:
      return "rearrangement";
    default:
      return "none";
  }
}

void infer_like_first_input(const OperatorNode& node) { node.set(0, node.type(0), node.shape_if_known(0)); }

const std::vector<Operator>& all_operators() {
  static const std::vector<Operator> all = collect();
  return all;
}

const Operator* find_operator(std::string_view domain, std::string_view name) {
  static const auto table = [] {
    std::unordered_map<std::string, const Operator*> by_name;
    for (const Operator& each : all_operators()) by_name.emplace(key(each.domain, each.name), &each);
    return by_name;
  }();
  const auto found = table.find(key(domain, name));
  return found != table.end() ? found->second : nullptr;
}

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
