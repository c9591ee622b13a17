#include "core/input/onnx/detail/constant_uses.hpp"

#include <algorithm>
#include <iterator>
#include <onnx/onnx_pb.h>
#include <string_view>
#include <utility>

#include "core/input/onnx/detail/handed_on.hpp"

namespace zz::core::onnx_import {
namespace {

/// The inputs of an operator that are scales and zero points, or say lengths by real numbers.
struct SteeringInputs {
  std::string_view op_type;
  std::vector<std::size_t> inputs;
};

const std::vector<SteeringInputs>& steering_inputs() {
  static const std::vector<SteeringInputs> all = {{"QuantizeLinear", {1, 2}},
                                                  {"DequantizeLinear", {1, 2}},
                                                  {"QLinearConv", {1, 2, 4, 5, 6, 7}},
                                                  {"QLinearMatMul", {1, 2, 4, 5, 6, 7}},
                                                  {"QLinearAdd", {1, 2, 4, 5, 6, 7}},
                                                  {"QLinearMul", {1, 2, 4, 5, 6, 7}},
                                                  {"QGemm", {1, 2, 4, 5, 7, 8}},
                                                  {"MatMulInteger", {2, 3}},
                                                  {"ConvInteger", {2, 3}},
                                                  {"MatMulIntegerToFloat", {2, 3, 4, 5}},
                                                  {"DynamicQuantizeMatMul", {2, 3}},
                                                  {"MatMulNBits", {2, 3, 4}},
                                                  {"MatMulNBitsMlp", {4, 7}},
                                                  {"MatMulNBitsQkv", {4, 7, 10}},
                                                  {"MatMulBlockQuantizedFp4Weight", {2, 3, 4}},
                                                  {"MatMulBlockQuantizedFp8Weight", {2, 3}},
                                                  {"MatMulBnb4", {2}},
                                                  {"QOrderedMatMul", {1, 3, 4, 7}},
                                                  {"GemmFloat8", {3, 4, 5}},
                                                  {"Quant", {1, 2, 3}},
                                                  {"IntQuant", {1, 2, 3}},
                                                  {"BipolarQuant", {1}},
                                                  {"Trunc", {1, 2, 3, 4, 5}},
                                                  {"FloatQuant", {1, 2, 3, 4, 5}},
                                                  {"RequantShift", {1, 2}},
                                                  {"QMoE", {3, 6, 9, 11, 12, 13}},
                                                  {"QAttention", {3, 4, 6, 7}},
                                                  {"GatherBlockQuantized", {2, 3}},
                                                  {"QLinearGlobalAveragePool", {1, 2, 3, 4}},
                                                  {"QLinearAveragePool", {1, 2, 3, 4}},
                                                  {"QLinearSigmoid", {1, 2, 3, 4}},
                                                  {"QLinearLeakyRelu", {1, 2, 3, 4}},
                                                  {"QLinearSoftmax", {1, 2, 3, 4}},
                                                  {"Resize", {1, 2, 3}},
                                                  {"Upsample", {1}}};
  return all;
}

bool steers(std::string_view op_type, std::size_t input) {
  // Scale and zero point of the result, then of each tensor behind it.
  if (op_type == "QLinearConcat") return input < 2 || input % 3 != 2;
  return std::any_of(steering_inputs().begin(), steering_inputs().end(), [&](const SteeringInputs& each) {
    return each.op_type == op_type &&
           std::find(each.inputs.begin(), each.inputs.end(), input) != each.inputs.end();
  });
}

/// The use of an input that steers.
ConstantUse steering_use(const Attributes& attributes) {
  const onnx::AttributeProto* const found = attributes.find("block_size");
  return found != nullptr && found->i() > 0 ? ConstantUse::scales : ConstantUse::steers;
}

PackedElements packed_elements(std::string_view op_type, const Attributes& attributes, std::size_t input) {
  const auto integer = [&](const char* name, std::int64_t otherwise) {
    const onnx::AttributeProto* const found = attributes.find(name);
    return found != nullptr ? found->i() : otherwise;
  };
  const auto matrix = [&](const char* columns) {
    return PackedElements{element_count({std::max<std::int64_t>(integer("K", 0), 0),
                                         std::max<std::int64_t>(integer(columns, 0), 0)}),
                          1};
  };
  const auto in_bytes = [](bool is_packed, std::int64_t bits) {
    return PackedElements{0, is_packed && bits > 0 && bits < 8 ? 8 / bits : 1};
  };
  if (op_type == "MatMulNBits" || op_type == "MatMulBnb4")
    return input == 1 ? matrix("N") : PackedElements();
  if (op_type == "MatMulNBitsMlp") return input == 3 || input == 6 ? matrix("N") : PackedElements();
  if (op_type == "MatMulNBitsQkv")
    return input == 3 ? matrix("Nq") : input == 6 || input == 9 ? matrix("Nkv") : PackedElements();
  if (op_type == "MatMulBlockQuantizedFp4Weight") return in_bytes(input == 1, 4);
  if (op_type == "QMoE")
    return in_bytes(input == 2 || input == 5 || input == 8, integer("expert_weight_bits", 4));
  if (op_type == "GatherBlockQuantized") return in_bytes(input == 0, integer("bits", 4));
  return {};
}

/// Longer than quantised weights are.
bool is_wide_integer(ElementType type) {
  return is_integral(type) && type != ElementType::boolean && bits_of(type) > 8;
}

class ConstantUses {
 public:
  explicit ConstantUses(const Network& network) : network_(network) {
    found_.of_tensors.resize(network.tensors.size());
    find_sums_of_integers();
    // Whoever reads a tensor stands behind the node that computes it.
    for (auto node = network.nodes.rbegin(); node != network.nodes.rend(); ++node)
      if (is_of_file(*node))
        hand_to_inputs(*node);
      else
        read(*node);
  }

  ConstantReadings take() { return std::move(found_); }

 private:
  const Tensor& tensor(std::int64_t index) const {
    return network_.tensors[static_cast<std::size_t>(index)];
  }
  ConstantReading& reading(std::int64_t index) {
    return found_.of_tensors[static_cast<std::size_t>(index)];
  }

  bool is_of_file(const NetworkNode& node) const {
    return std::all_of(node.outputs.begin(), node.outputs.end(),
                       [this](std::int64_t output) { return output < 0 || tensor(output).of_file; });
  }

  static std::string_view type_of(const NetworkNode& node) {
    return node.known != nullptr ? node.known->name : std::string_view();
  }

  bool is_sum(std::int64_t index) const { return index >= 0 && sums_[static_cast<std::size_t>(index)]; }

  /// Results of products of integers, also moved, scaled and added up.
  void find_sums_of_integers() {
    constexpr std::string_view handing_on[] = {"Add", "Sub", "Sum", "Mul", "Div", "BitShift", "Cast"};
    sums_.assign(network_.tensors.size(), false);
    for (const NetworkNode& node : network_.nodes) {
      if (node.known == nullptr || node.outputs.empty() || node.outputs[0] < 0 || is_of_file(node) ||
          !is_wide_integer(tensor(node.outputs[0]).type))
        continue;
      const bool hands_on =
          node.known->work == Operator::Work::rearrangement ||
          std::find(std::begin(handing_on), std::end(handing_on), node.known->name) != std::end(handing_on);
      if (node.known->work == Operator::Work::products ||
          (hands_on && std::any_of(node.inputs.begin(), node.inputs.end(),
                                   [this](std::int64_t input) { return is_sum(input); })))
        sums_[static_cast<std::size_t>(node.outputs[0])] = true;
    }
  }

  /// Serves a node whose results the file alone determines.
  void hand_to_inputs(const NetworkNode& node) {
    ConstantReading result;
    for (const std::int64_t output : node.outputs)
      if (output >= 0) result.add(reading(output));
    const bool is_weight = result.use == ConstantUse::weights;
    const bool counts = is_weight || result.use == ConstantUse::elements;
    const std::vector<std::size_t> carriers = counts ? carriers_of(node) : std::vector<std::size_t>();
    if (is_weight && carriers.empty() && type_of(node) != "Constant")
      for (const std::int64_t output : node.outputs)
        if (output >= 0 && reading(output).use == ConstantUse::weights) found_.computed.push_back(output);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] < 0) continue;
      ConstantReading mine;
      if (steers(type_of(node), i))
        mine.use = steering_use(Attributes(*node.proto, node.call));
      else if (std::find(carriers.begin(), carriers.end(), i) != carriers.end())
        mine = result;
      else if (is_weight || !carriers.empty() || result.use == ConstantUse::steers)
        mine.use = ConstantUse::absorbed;
      else
        mine.use = result.use;
      reading(node.inputs[i]).add(mine);
    }
  }

  /// The inputs whose elements become those of the result, one by one.
  std::vector<std::size_t> carriers_of(const NetworkNode& node) const {
    if (node.known == nullptr || node.outputs.empty() || node.outputs[0] < 0) return {};
    const OperatorNode view = network_.view(node);
    if (bits_of_parts(view, *node.known) > 0) return {};  // each word holds several weights
    std::vector<std::size_t> found = inputs_handed_on(view, *node.known);
    if (!found.empty()) return found;
    const Tensor& result = tensor(node.outputs[0]);
    if (!result.has_full_shape()) return {};
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] < 0 || steers(type_of(node), i)) continue;
      const Tensor& input = tensor(node.inputs[i]);
      if (!input.has_full_shape() || input.elements() != result.elements()) continue;
      if (found.empty() || is_rather(input, tensor(node.inputs[found[0]]), result)) found = {i};
    }
    return found;
  }

  /// Prefers the less repeated of two constants as large as what is computed from them, then that of its
  /// type.
  static bool is_rather(const Tensor& one, const Tensor& other, const Tensor& result) {
    if (one.different() != other.different()) return one.different() > other.different();
    return one.type == result.type && other.type != result.type;
  }

  /// Reads a node with data.
  void read(const NetworkNode& node) {
    const std::string_view type = type_of(node);
    const std::vector<bool> multiplied = multiplied_inputs(node);
    const std::vector<std::size_t> handed = node.known != nullptr
                                                ? inputs_handed_on(network_.view(node), *node.known)
                                                : std::vector<std::size_t>();
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] < 0) continue;
      ConstantReading mine{ConstantUse::elements,
                           packed_elements(type, Attributes(*node.proto, node.call), i)};
      const bool hands_on =
          std::find(handed.begin(), handed.end(), i) != handed.end() ||
          (i == 0 && (type == "Cast" || type == "CastLike" || type == "DequantizeLinear"));
      if (steers(type, i))
        mine.use = steering_use(Attributes(*node.proto, node.call));
      else if (multiplied[i] || is_added_to_sum_of_integers(node, i) || is_quantised_word(node, i) ||
               (hands_on && !node.outputs.empty() && node.outputs[0] >= 0 &&
                reading(node.outputs[0]).use == ConstantUse::weights))
        mine.use = ConstantUse::weights;
      reading(node.inputs[i]).add(mine);
    }
  }

  std::vector<bool> multiplied_inputs(const NetworkNode& node) const {
    std::vector<bool> found(node.inputs.size(), false);
    try {
      for (const Product& product : network_.products(node))
        for (const ProductOperand* const operand : {&product.weight, &product.input})
          for (const int input : {operand->input, operand->joined_input})
            if (input >= 0 && static_cast<std::size_t>(input) < found.size())
              found[static_cast<std::size_t>(input)] = true;
    } catch (const NodeProblem&) {
      // Its shapes are open; what it reads counts by type.
    }
    return found;
  }

  /// A bias of integers, if it is neither multiplied nor a scale. Biases of quantised products, which give
  /// no sums of integers, are in the words of their accumulators and belong to the scales.
  bool is_added_to_sum_of_integers(const NetworkNode& node, std::size_t input) const {
    const std::string_view type = type_of(node);
    if (node.outputs.empty() || node.outputs[0] < 0 || !is_wide_integer(tensor(node.outputs[0]).type))
      return false;
    if (node.known != nullptr && node.known->work == Operator::Work::products) return true;
    return (type == "Add" || type == "Sub" || type == "Sum") &&
           std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](std::int64_t other) { return other != node.inputs[input] && is_sum(other); });
  }

  bool is_quantised_word(const NetworkNode& node, std::size_t input) const {
    constexpr std::int64_t widest = 16;  // wider ones are biases
    return input == 0 && type_of(node) == "DequantizeLinear" &&
           bits_of(tensor(node.inputs[0]).type) <= widest;
  }

  const Network& network_;
  std::vector<bool> sums_;  // by tensor
  ConstantReadings found_;
};

}  // namespace

void ConstantReading::add(const ConstantReading& other) {
  use = std::max(use, other.use);
  if (other.packed.all > 0) packed.all = other.packed.all;
  packed.in_one = std::max(packed.in_one, other.packed.in_one);
}

ConstantReadings constant_readings(const Network& network) { return ConstantUses(network).take(); }

ConstantReading reading_by_name(const onnx::NodeProto& node, std::size_t input) {
  const Attributes attributes(node, nullptr);
  return {steers(node.op_type(), input) ? steering_use(attributes) : ConstantUse::elements,
          packed_elements(node.op_type(), attributes, input)};
}

}  // namespace zz::core::onnx_import
