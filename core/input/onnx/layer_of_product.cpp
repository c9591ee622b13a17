#include "core/input/onnx/layer_of_product.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "core/base/text.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"
#include "core/workload/layer_limits.hpp"

namespace zz::core::onnx_import {
namespace {

// Products of narrow numbers are summed up in words of 32 bits by nearly all hardware.
constexpr std::int64_t narrowest_sum = 32;

/// "O[b][k]".
std::string brackets(const char* operand, const std::vector<std::string>& dimensions) {
  std::string text = operand;
  for (const std::string& dimension : dimensions) text += "[" + lower_case(dimension) + "]";
  return text;
}

std::optional<std::int64_t> given_bits(const OperatorNode& node, const char* attribute) {
  if (node.attributes().find(attribute) == nullptr) return std::nullopt;
  const std::int64_t bits = node.attributes().integer(attribute, 0);
  if (bits < 0 || bits > widest_number)
    throw NodeProblem(fmt::format("the attribute '{}' is {}, expected are bits per element (0 to {})",
                                  attribute, bits, widest_number));
  return bits;
}

/// The tensor that the product writes. Exporters leave out results that nobody reads, such as all states of
/// a recurrent layer but the last; the others have the same type.
std::int64_t written_tensor(const NetworkNode& node, const Product& product) {
  const std::int64_t output = node.outputs.at(static_cast<std::size_t>(std::max(product.output, 0)));
  if (output >= 0) return output;
  for (const std::int64_t other : node.outputs)
    if (other >= 0) return other;
  throw NodeProblem("all its outputs are left out");
}

/// By type, then by attributes.
OperandBits bits_of_operands(const Network& network, const NetworkNode& node, const Product& product,
                             const std::vector<std::int64_t>& written) {
  const OperatorNode view = network.view(node);
  const std::int64_t output = written_tensor(node, product);
  const auto stored = [&](const ProductOperand& operand) -> std::int64_t {
    if (operand.bits > 0) return operand.bits;
    // What only other products of the node read has the type of its result.
    const Tensor& tensor = operand.input >= 0 ? view.input(static_cast<std::size_t>(operand.input))
                                              : network.tensors[static_cast<std::size_t>(output)];
    if (tensor.stored_bits == 0)
      throw NodeProblem(fmt::format("the element type of tensor '{}' is unknown", tensor.name));
    return tensor.stored_bits;
  };
  OperandBits bits{stored(product.weight), stored(product.input), 0, 0};
  bits.result = written[static_cast<std::size_t>(output)];
  bits.partial_sum = std::max(narrowest_sum, bits.result);
  return with_attributes(bits, view);
}

}  // namespace

OperandBits with_attributes(OperandBits bits, const OperatorNode& node) {
  if (const auto activation = given_bits(node, "act_size")) {
    bits.input = bits.result = *activation;
    bits.partial_sum = 2 * *activation;
  }
  bits.weight = given_bits(node, "weight_size").value_or(bits.weight);
  bits.partial_sum = given_bits(node, "output_size").value_or(bits.partial_sum);
  return bits;
}

Layer make_layer(const std::string& name, const std::string& type, const Product& product,
                 const OperandBits& bits) {
  Layer layer;
  layer.name = name;
  layer.type = type;
  layer.loops = product.loops;
  layer.relations = product.relations;
  LayerOperand output{"O", product.output_dimensions, bits.partial_sum, false, {}};
  LayerOperand weight{"W", product.weight.dimensions, bits.weight, false, {}};
  LayerOperand input{"I", product.input.dimensions, bits.input, false, {}};
  const std::string w = brackets("W", weight.dimensions), i = brackets("I", input.dimensions);
  layer.equation = fmt::format("{} = {} * {}", brackets("O", output.dimensions),
                               product.weight_first ? w : i, product.weight_first ? i : w);
  layer.operands = {std::move(output)};
  layer.operands.push_back(product.weight_first ? weight : input);
  layer.operands.push_back(product.weight_first ? input : weight);
  layer.final_output_precision = bits.result;
  return layer;
}

void check_counts(const Layer& layer) {
  if (const std::string problem = count_problem(layer); !problem.empty())
    throw NodeProblem("it " + problem, "check the shapes of its tensors and its attributes");
}

std::vector<std::int64_t> written_bits(const Network& network) {
  std::vector<std::int64_t> bits(network.tensors.size());
  std::vector<bool> read_otherwise(network.tensors.size(), false);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = bits_of(network.tensors[i].type);
  for (const std::int64_t output : network.outputs) read_otherwise[static_cast<std::size_t>(output)] = true;
  std::vector<std::int64_t> quantised(network.tensors.size(), 0);
  for (const NetworkNode& node : network.nodes) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] < 0) continue;
      const auto tensor = static_cast<std::size_t>(node.inputs[i]);
      if (node.op_type == "QuantizeLinear" && i == 0 && !node.outputs.empty() && node.outputs[0] >= 0)
        quantised[tensor] = bits_of(network.tensors[static_cast<std::size_t>(node.outputs[0])].type);
      else
        read_otherwise[tensor] = true;
    }
  }
  for (std::size_t i = 0; i < bits.size(); ++i)
    if (quantised[i] > 0 && !read_otherwise[i]) bits[i] = quantised[i];
  return bits;
}

Layer layer_of_product(const Network& network, const NetworkNode& node, const Product& product,
                       const std::vector<std::int64_t>& written, const OnnxSettings& settings) {
  Layer layer = make_layer(node.name + product.suffix, network.view(node).op_type(), product,
                           bits_of_operands(network, node, product, written));
  for (const auto& [operand, given] : settings.operand_precision) set_precision(layer, operand, given);
  check_counts(layer);
  return layer;
}

}  // namespace zz::core::onnx_import
