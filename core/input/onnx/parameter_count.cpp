#include "core/input/onnx/parameter_count.hpp"

#include <algorithm>
#include <limits>
#include <onnx/onnx_pb.h>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/input/onnx/node_problem.hpp"

namespace zz::core::onnx_import {
namespace {

/// The inputs of an operator that are scales and zero points.
struct QuantisationInputs {
  std::string_view op_type;
  std::vector<int> inputs;
};

const std::vector<QuantisationInputs>& quantisation_inputs() {
  static const std::vector<QuantisationInputs> all = {{"QuantizeLinear", {1, 2}},
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
                                                      {"QMoE", {3, 6, 9}},
                                                      {"QAttention", {3, 4, 6, 7}},
                                                      {"GatherBlockQuantized", {2, 3}},
                                                      {"QLinearGlobalAveragePool", {1, 2, 3, 4}},
                                                      {"QLinearAveragePool", {1, 2, 3, 4}},
                                                      {"QLinearSigmoid", {1, 2, 3, 4}},
                                                      {"QLinearLeakyRelu", {1, 2, 3, 4}},
                                                      {"QLinearSoftmax", {1, 2, 3, 4}}};
  return all;
}

bool is_weight_type(ElementType type) {
  return type != ElementType::unknown &&
         (is_floating(type) || (is_integral(type) && type != ElementType::boolean && bits_of(type) <= 8));
}

/// How the elements of a tensor that packs several into a byte are counted.
struct Packed {
  std::int64_t elements = 0;  ///< of the whole tensor, or 0
  std::int64_t in_one = 1;    ///< elements in each element of the file
};

std::int64_t added(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  return b > largest - a ? largest : a + b;
}

std::int64_t multiplied(std::int64_t a, std::int64_t b) { return element_count({a, b}); }

class ParameterCount {
 public:
  explicit ParameterCount(const Network& network) {
    const onnx::ModelProto& model = *network.model;
    look_at(model.graph().node());
    for (const auto& function : model.functions()) look_at(function.node());
    add_initialisers(model.graph());
    std::unordered_set<std::string> initialisers, inputs;
    for (const auto& tensor : model.graph().initializer()) initialisers.insert(tensor.name());
    for (const auto& input : model.graph().input())
      if (initialisers.count(input.name()) == 0) inputs.insert(input.name());
    for (const std::int64_t index : network.weights) {
      const Tensor& tensor = network.tensors[static_cast<std::size_t>(index)];
      if (inputs.erase(tensor.name) != 0 && tensor.has_full_shape())
        add(tensor.name, *tensor.shape, tensor.type);
    }
  }

  std::int64_t sum() const { return sum_; }

 private:
  template <class Nodes>
  void look_at(const Nodes& nodes) {
    for (const onnx::NodeProto& node : nodes) {
      note_quantisation(node);
      note_packed(node);
      for (const auto& attribute : node.attribute())
        if (attribute.has_g()) look_at(attribute.g().node());
    }
  }

  void note_quantisation(const onnx::NodeProto& node) {
    // Scale and zero point of the result, then of each tensor behind it.
    if (node.op_type() == "QLinearConcat") {
      for (int i = 0; i < node.input_size(); ++i)
        if (i < 2 || i % 3 != 2) not_parameters_.insert(node.input(i));
    }
    for (const QuantisationInputs& each : quantisation_inputs()) {
      if (each.op_type != node.op_type()) continue;
      for (const int i : each.inputs)
        if (i < node.input_size()) not_parameters_.insert(node.input(i));
    }
  }

  void note_packed(const onnx::NodeProto& node) {
    const auto integer = [&](const char* name, std::int64_t otherwise) {
      const onnx::AttributeProto* const found = Attributes(node, nullptr).find(name);
      return found != nullptr ? found->i() : otherwise;
    };
    const auto pack = [&](int input, const Packed& packed) {
      if (input < node.input_size() && !node.input(input).empty()) packed_[node.input(input)] = packed;
    };
    if (node.op_type() == "MatMulNBits")
      pack(1, {multiplied(std::max<std::int64_t>(integer("K", 0), 0),
                          std::max<std::int64_t>(integer("N", 0), 0)),
               1});
    if (node.op_type() == "QMoE")
      for (const int input : {2, 5, 8}) pack(input, {0, integer("expert_weight_bits", 4) == 4 ? 2 : 1});
    if (node.op_type() == "GatherBlockQuantized") pack(0, {0, integer("bits", 4) == 4 ? 2 : 1});
  }

  void add_initialisers(const onnx::GraphProto& graph) {
    for (const auto& tensor : graph.initializer())
      add(tensor.name(), Shape(tensor.dims().begin(), tensor.dims().end()),
          element_type(tensor.data_type()));
    for (const auto& node : graph.node())
      for (const auto& attribute : node.attribute())
        if (attribute.has_g()) add_initialisers(attribute.g());
  }

  void add(const std::string& name, const Shape& shape, ElementType type) {
    if (!is_weight_type(type) || not_parameters_.count(name) != 0) return;
    const auto packed = packed_.find(name);
    std::int64_t count = element_count(shape);
    if (packed != packed_.end())
      count =
          packed->second.elements > 0 ? packed->second.elements : multiplied(count, packed->second.in_one);
    sum_ = added(sum_, count);
  }

  std::unordered_set<std::string> not_parameters_;
  std::unordered_map<std::string, Packed> packed_;
  std::int64_t sum_ = 0;
};

}  // namespace

std::int64_t parameter_count(const Network& network) { return ParameterCount(network).sum(); }

}  // namespace zz::core::onnx_import
