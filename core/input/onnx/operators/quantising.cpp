#include "core/input/onnx/operators/operator.hpp"

// Operators between quantised and real numbers, and elementwise ones on quantised numbers.
namespace zz::core::onnx_import {
namespace {

// QuantizeLinear: the type is that of the zero point, or an attribute, or unsigned bytes.
void infer_quantize(const OperatorNode& node) {
  ElementType type = element_type(node.attributes().integer("output_dtype", 0));
  if (node.has_input(2)) type = node.type(2);
  node.set(0, type == ElementType::unknown ? ElementType::uint8 : type, node.shape_if_known(0));
}

// DequantizeLinear: the type is that of the scale, or an attribute.
void infer_dequantize(const OperatorNode& node) {
  const ElementType given = element_type(node.attributes().integer("output_dtype", 0));
  node.set(0, given == ElementType::unknown ? node.type(1) : given, node.shape_if_known(0));
}

void infer_dynamic_quantize(const OperatorNode& node) {
  node.set(0, ElementType::uint8, node.shape_if_known(0));
  node.set(1, ElementType::float32, Shape{});
  node.set(2, ElementType::uint8, Shape{});
}

// QLinearAdd and QLinearMul: a, its scale and zero point, b, its scale and zero point, ...
void infer_quantised_pair(const OperatorNode& node) {
  std::optional<Shape> shape;
  if (node.shape(0) != nullptr && node.shape(3) != nullptr)
    shape = broadcast(*node.shape(0), *node.shape(3));
  node.set(0, node.type(0), shape);
}

void infer_quantised_mean(const OperatorNode& node) {
  std::optional<Shape> shape = node.shape_if_known(0);
  const bool last = node.attributes().integer("channels_last", 0) != 0;
  if (shape)
    for (std::size_t i = last ? 1 : 2; i + (last ? 1 : 0) < shape->size(); ++i) (*shape)[i] = 1;
  node.set(0, node.type(0), shape);
}

// QLinearConcat: scale and zero point of the result, then a tensor, its scale and zero point, ...
void infer_quantised_concat(const OperatorNode& node) {
  std::optional<Shape> shape = node.shape_if_known(2);
  for (std::size_t i = 5; shape && i < node.input_count(); i += 3) {
    if (node.shape(i) == nullptr) {
      shape.reset();
      break;
    }
    const std::size_t axis = axis_from_front(node.attributes().required_integer("axis"), shape->size());
    std::int64_t& length = (*shape)[axis];
    if (node.shape(i)->size() != shape->size())
      throw NodeProblem("its inputs have different numbers of axes");
    const std::int64_t other = (*node.shape(i))[axis];
    length = length == unknown_length || other == unknown_length ? unknown_length : length + other;
  }
  node.set(0, node.type(2), shape);
}

}  // namespace

std::vector<Operator> quantising_operators() {
  constexpr auto vector = Operator::Work::vector;
  std::vector<Operator> all = {
      {standard_domain, "QuantizeLinear", vector, infer_quantize},
      {standard_domain, "DequantizeLinear", vector, infer_dequantize},
      {standard_domain, "DynamicQuantizeLinear", vector, infer_dynamic_quantize},
      {microsoft_domain, "QuantizeLinear", vector, infer_quantize},
      {microsoft_domain, "DequantizeLinear", vector, infer_dequantize},
      {microsoft_domain, "QLinearConcat", Operator::Work::rearrangement, infer_quantised_concat},
      {microsoft_domain, "QLinearGlobalAveragePool", vector, infer_quantised_mean}};
  for (const char* name : {"QLinearAdd", "QLinearMul"})
    all.push_back({microsoft_domain, name, vector, infer_quantised_pair});
  for (const char* name : {"QLinearLeakyRelu", "QLinearSigmoid"})
    all.push_back({microsoft_domain, name, vector, infer_like_first_input});
  return all;
}

}  // namespace zz::core::onnx_import
