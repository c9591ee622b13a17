#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <onnx/onnx_pb.h>
#include <string>

#include "core/input/onnx/operators/operator.hpp"

// Operators between real numbers and those of few bits: of the standard, of QONNX and Brevitas, and of
// tools that make networks of integers alone.
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

// QONNX (Pappalardo et al., 2022): numbers stay floats in the graph, and an input says how many bits they
// need.

/// The largest element of an input of one or more numbers; 0 where it is not known before the run.
double largest_of(const OperatorNode& node, std::size_t input) {
  if (const auto* const all = node.integers(input); all != nullptr && !all->empty())
    return static_cast<double>(*std::max_element(all->begin(), all->end()));
  const auto* const all = node.numbers(input);
  return all != nullptr && !all->empty() ? *std::max_element(all->begin(), all->end()) : 0;
}

/// Bits that no number has are not taken: the type's count then.
void infer_of_bits(const OperatorNode& node, double bits) {
  infer_like_first_input(node);
  if (bits >= 1 && bits <= static_cast<double>(widest_number))
    node.set_stored_bits(0, static_cast<std::int64_t>(std::ceil(bits)));
}

void infer_quant(const OperatorNode& node) { infer_of_bits(node, largest_of(node, 3)); }
void infer_bipolar_quant(const OperatorNode& node) { infer_of_bits(node, 1); }
/// The bits of the result come last in both versions of the operator.
void infer_trunc(const OperatorNode& node) {
  infer_of_bits(node, largest_of(node, node.input_count() - 1));
}

void infer_float_quant(const OperatorNode& node) {
  const double exponent = largest_of(node, 2), mantissa = largest_of(node, 3);
  infer_of_bits(node, exponent > 0 ? 1 + exponent + mantissa : 0);
}

/// "UINT4", "INT8", "BIPOLAR", "TERNARY", "FLOAT32": the bits of FINN's types.
double bits_of_finn_type(const std::string& name) {
  if (name == "BIPOLAR" || name == "BINARY") return 1;
  if (name == "TERNARY") return 2;
  const std::size_t digits = name.find_first_of("0123456789");
  if (digits == std::string::npos || name.size() - digits > 2 || name.find("INT") == std::string::npos)
    return 0;
  double bits = 0;
  for (const char digit : name.substr(digits))
    bits = digit >= '0' && digit <= '9' ? 10 * bits + (digit - '0') : 1000;
  return bits;
}

void infer_multi_threshold(const OperatorNode& node) {
  infer_of_bits(node, bits_of_finn_type(node.attributes().text("out_dtype", "")));
}

// Networks of integers alone, as QuantLab and NEMO write them and Deeploy reads them: the graph's types are
// those of floats, and an attribute says how many values a result can have.

/// An attribute that is a number, or a tensor of one.
double number_attribute(const OperatorNode& node, const char* name) {
  const onnx::AttributeProto* const found = node.attributes().find(name);
  if (found == nullptr) return 0;
  if (found->has_i()) return static_cast<double>(found->i());
  if (found->has_f()) return found->f();
  if (!found->has_t()) return 0;
  const auto values = read_values(found->t());
  if (values == nullptr) return 0;
  return std::visit([](const auto& all) { return all.empty() ? 0.0 : static_cast<double>(all.front()); },
                    *values);
}

void infer_of_levels(const OperatorNode& node) {
  const double levels =
      std::max(number_attribute(node, "n_levels"), number_attribute(node, "n_levels_out"));
  infer_of_bits(node, levels >= 2 ? std::ceil(std::log2(levels)) : 0);
}

// Bytes in an order of their own, with one scale.
void infer_quantize_with_order(const OperatorNode& node) {
  node.set(0, ElementType::int8, node.shape_if_known(0));
}

void infer_dequantize_with_order(const OperatorNode& node) {
  node.set(0, element_type(node.attributes().integer("to", 1)), node.shape_if_known(0));
}

void infer_integer_quotient(const OperatorNode& node) {
  std::optional<Shape> shape = node.shape_if_known(0);
  if (shape && node.has_input(1)) {
    if (node.shape(1) == nullptr)
      shape.reset();
    else
      shape = broadcast(*shape, *node.shape(1));
  }
  node.set(0, node.type(0), std::move(shape));
}

}  // namespace

std::vector<Operator> quantising_operators() {
  constexpr auto vector = Operator::Work::vector;
  std::vector<Operator> all = {
      {standard_domain, "QuantizeLinear", vector, infer_quantize, nullptr, true},
      {standard_domain, "DequantizeLinear", vector, infer_dequantize},
      {standard_domain, "DynamicQuantizeLinear", vector, infer_dynamic_quantize},
      {microsoft_domain, "QuantizeLinear", vector, infer_quantize, nullptr, true},
      {microsoft_domain, "DequantizeLinear", vector, infer_dequantize},
      {microsoft_domain, "QuantizeWithOrder", vector, infer_quantize_with_order, nullptr, true},
      {microsoft_domain, "DequantizeWithOrder", vector, infer_dequantize_with_order},
      {microsoft_domain, "QLinearConcat", Operator::Work::rearrangement, infer_quantised_concat},
      {microsoft_domain, "QLinearGlobalAveragePool", vector, infer_quantised_mean}};
  for (const char* name : {"QLinearAdd", "QLinearMul"})
    all.push_back({microsoft_domain, name, vector, infer_quantised_pair});
  for (const char* name : {"QLinearLeakyRelu", "QLinearSigmoid"})
    all.push_back({microsoft_domain, name, vector, infer_like_first_input});
  for (const char* domain : {"qonnx.custom_op.general", "onnx.brevitas", "finn.custom_op.general"}) {
    all.push_back({domain, "Quant", vector, infer_quant, nullptr, true});
    all.push_back({domain, "IntQuant", vector, infer_quant, nullptr, true});
    all.push_back({domain, "BipolarQuant", vector, infer_bipolar_quant, nullptr, true});
    all.push_back({domain, "Trunc", vector, infer_trunc, nullptr, true});
    all.push_back({domain, "FloatQuant", vector, infer_float_quant, nullptr, true});
    all.push_back({domain, "MultiThreshold", vector, infer_multi_threshold, nullptr, true});
  }
  for (const char* domain : {"", "PACTOps", "ai.onnx.contrib"}) {
    all.push_back({domain, "RequantShift", vector, infer_of_levels, nullptr, true});
    for (const char* name : {"iSoftmax", "ITAMax", "ITAPartialMax", "iLayerNorm", "iRMSNorm", "iNoNorm"})
      all.push_back({domain, name, vector, infer_of_levels});
    for (const char* name : {"iGELU", "iHardswish", "iLeakyReLU"})
      all.push_back({domain, name, vector, infer_like_first_input});
    for (const char* name : {"IntegerDiv", "TrueIntegerDiv"})
      all.push_back({domain, name, vector, infer_integer_quotient});
  }
  return all;
}

}  // namespace zz::core::onnx_import
