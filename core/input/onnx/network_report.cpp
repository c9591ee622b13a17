#include "core/input/onnx/network_report.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <onnx/onnx_pb.h>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/text.hpp"
#include "core/input/onnx/detail/node_layers.hpp"
#include "core/input/onnx/operator_node.hpp"

namespace zz::core::onnx_import {
namespace {

void add_products(const Network& network, const NetworkNode& node, const std::vector<std::int64_t>& written,
                  NodeCost& cost) {
  for (const Product& product : network.products(node)) {
    for (const ProductOperand* operand : {&product.input, &product.weight})
      if (operand->input >= 0 && operand->bits > 0)
        cost.input_bits.at(static_cast<std::size_t>(operand->input)) = operand->bits;
    if (mac_count(product) > 0)
      cost.layers.push_back(layer_of_product(network, node, product, written, OnnxSettings()));
  }
}

}  // namespace

std::vector<NodeCost> node_costs(const Network& network) {
  const std::vector<std::int64_t> written = written_bits(network);
  std::vector<NodeCost> costs(network.nodes.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const NetworkNode& node = network.nodes[i];
    NodeCost& cost = costs[i];
    for (const std::int64_t input : node.inputs)
      cost.input_bits.push_back(input < 0 ? 0
                                          : network.tensors[static_cast<std::size_t>(input)].stored_bits);
    cost.macs = mac_count(network, node);
    if (has_unknown_operator(node)) {
      cost.problem = unknown_operator;
    } else {
      try {
        add_products(network, node, written, cost);
      } catch (const NodeProblem& problem) {
        cost.layers.clear();
        cost.problem = problem.what();
      }
    }
  }
  return costs;
}

namespace {

std::int64_t bytes_of(std::int64_t elements, std::int64_t bits) {
  // Far beyond any memory, and far from overflow.
  constexpr std::int64_t most = std::int64_t{1} << 52;
  return (std::min(elements, most) * std::min<std::int64_t>(bits, 64) + 7) / 8;
}

/// Inputs of an attention operator that are caches. Its outputs from the second on are the new caches.
struct CacheInputs {
  std::string_view op_type;
  std::array<std::size_t, 2> inputs;
};
constexpr CacheInputs cache_inputs[] = {{"Attention", {4, 5}},
                                        {"com.microsoft:Attention", {4, 4}},
                                        {"com.microsoft:QAttention", {8, 8}},
                                        {"com.microsoft:DecoderMaskedSelfAttention", {4, 4}},
                                        {"com.microsoft:DecoderMaskedMultiHeadAttention", {5, 6}},
                                        {"com.microsoft:PagedAttention", {3, 4}},
                                        {"com.microsoft:SparseAttention", {3, 4}},
                                        {"com.microsoft:MultiHeadAttention", {6, 7}},
                                        {"com.microsoft:GroupQueryAttention", {3, 4}}};

class CacheFinder {
 public:
  explicit CacheFinder(const Network& network)
      : network_(network),
        inputs_(network.inputs.begin(), network.inputs.end()),
        outputs_(network.outputs.begin(), network.outputs.end()) {}

  std::optional<KvCache> find() {
    find_by_name();
    for (const NetworkNode& node : network_.nodes) {
      find_at_attention(node);
      if (node.op_type == "Concat") find_grown(node);
    }
    if (before_.empty() && after_.empty()) return std::nullopt;
    KvCache cache;
    cache.before.assign(before_.begin(), before_.end());
    cache.after.assign(after_.begin(), after_.end());
    for (const auto* list : {&cache.before, &cache.after})
      for (const std::int64_t index : *list)
        if (!tensor(index).has_full_shape()) return std::nullopt;
    for (const std::int64_t index : cache.before) cache.bytes_before += bytes(index);
    for (const std::int64_t index : cache.after) cache.bytes_after += bytes(index);
    cache.bytes_written = written(cache);
    return cache;
  }

 private:
  const Tensor& tensor(std::int64_t index) const {
    return network_.tensors[static_cast<std::size_t>(index)];
  }

  std::int64_t bytes(std::int64_t index) const {
    const Tensor& one = tensor(index);
    return bytes_of(one.elements(), bits_of(one.type));
  }

  /// Masks and positions have fewer axes, or count.
  bool may_be_cache(std::int64_t index) const {
    const Tensor& one = tensor(index);
    if (!one.shape || one.shape->size() < 3) return false;
    return is_floating(one.type) || bits_of(one.type) == 8;
  }

  // States of recurrences and of convolutions are kept as well, and are neither keys nor values.
  bool is_called_cache(std::int64_t index) const {
    const std::string name = lower_case(tensor(index).name);
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    return (has("past") || has("present") || has("cache")) && !has("conv") && !has("state") && !has("ssm");
  }

  void find_by_name() {
    for (const std::int64_t index : network_.inputs)
      if (may_be_cache(index) && is_called_cache(index)) before_.insert(index);
    for (const std::int64_t index : network_.outputs)
      if (may_be_cache(index) && is_called_cache(index)) after_.insert(index);
  }

  void find_at_attention(const NetworkNode& node) {
    for (const CacheInputs& each : cache_inputs) {
      if (node.op_type != each.op_type) continue;
      for (const std::size_t input : each.inputs)
        if (input < node.inputs.size() && inputs_.count(node.inputs[input]) != 0)
          before_.insert(node.inputs[input]);
      for (std::size_t output = 1; output < node.outputs.size(); ++output)
        if (outputs_.count(node.outputs[output]) != 0 && output < 3) after_.insert(node.outputs[output]);
    }
  }

  void find_grown(const NetworkNode& node) {
    if (node.outputs.empty() || outputs_.count(node.outputs[0]) == 0) return;
    for (const std::int64_t input : node.inputs) {
      if (inputs_.count(input) == 0 || !may_be_cache(input)) continue;
      before_.insert(input);
      after_.insert(node.outputs[0]);
    }
  }

  // A cache that grows, grows by what is written; into one of fixed length an operator puts it.
  std::int64_t written(const KvCache& cache) const {
    std::int64_t grown = cache.bytes_after - cache.bytes_before, put = 0;
    for (const std::int64_t index : cache.after) {
      if (tensor(index).producer < 0) continue;
      const NetworkNode& node = network_.nodes[static_cast<std::size_t>(tensor(index).producer)];
      const bool scatters = node.op_type == "ScatterND" || node.op_type == "ScatterElements";
      if (!scatters && node.op_type != "TensorScatter") continue;
      const std::size_t updates = scatters ? 2 : 1;
      if (updates >= node.inputs.size() || before_.count(node.inputs[0]) == 0) continue;
      if (node.inputs[updates] < 0 || !tensor(node.inputs[updates]).has_full_shape()) continue;
      grown -= bytes(index) - bytes(node.inputs[0]);
      put += bytes(node.inputs[updates]);
    }
    return std::max<std::int64_t>(grown, 0) + put;
  }

  const Network& network_;
  const std::set<std::int64_t> inputs_, outputs_;
  std::set<std::int64_t> before_, after_;
};

}  // namespace

std::optional<KvCache> kv_cache(const Network& network) { return CacheFinder(network).find(); }

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

/// The bits that constants need, by name: those of their type, or fewer where every reader rounds to them.
std::unordered_map<std::string, std::int64_t> needed_bits(const Network& network) {
  std::vector<std::int64_t> needed(network.tensors.size(), 0);
  for (const NetworkNode& node : network.nodes) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] < 0) continue;
      const auto index = static_cast<std::size_t>(node.inputs[i]);
      const Tensor& tensor = network.tensors[index];
      std::int64_t bits = tensor.stored_bits;
      if (i == 0 && !node.outputs.empty() && node.outputs[0] >= 0) {
        const Tensor& result = network.tensors[static_cast<std::size_t>(node.outputs[0])];
        if (result.stored_bits > 0 && result.has_full_shape() && result.shape == tensor.shape &&
            node.known != nullptr && node.known->rounds)
          bits = std::min(bits, result.stored_bits);
      }
      needed[index] = std::max(needed[index], bits);
    }
  }
  std::unordered_map<std::string, std::int64_t> by_name;
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (network.tensors[i].constant && needed[i] > 0) by_name.emplace(network.tensors[i].name, needed[i]);
  return by_name;
}

class ParameterCount {
 public:
  explicit ParameterCount(const Network& network) : bits_(needed_bits(network)) {
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
  std::int64_t bytes() const { return bytes_; }

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
    const auto pack_matrix = [&](int input, const char* columns) {
      pack(input, {multiplied(std::max<std::int64_t>(integer("K", 0), 0),
                              std::max<std::int64_t>(integer(columns, 0), 0)),
                   1});
    };
    if (node.op_type() == "MatMulNBits" || node.op_type() == "MatMulBnb4") pack_matrix(1, "N");
    if (node.op_type() == "MatMulNBitsMlp")
      for (const int input : {3, 6}) pack_matrix(input, "N");
    if (node.op_type() == "MatMulNBitsQkv")
      for (const int input : {3, 6, 9}) pack_matrix(input, input == 3 ? "Nq" : "Nkv");
    if (node.op_type() == "MatMulBlockQuantizedFp4Weight") pack(1, {0, 2});
    if (node.op_type() == "QMoE")
      for (const int input : {2, 5, 8}) pack(input, {0, integer("expert_weight_bits", 4) == 4 ? 2 : 1});
    if (node.op_type() == "GatherBlockQuantized") pack(0, {0, integer("bits", 4) == 4 ? 2 : 1});
  }

  void add_tensor(const std::string& name, const onnx::TensorProto& tensor) {
    add(name, Shape(tensor.dims().begin(), tensor.dims().end()), element_type(tensor.data_type()));
  }

  /// Some exporters write all weights as constants; those of others are coefficients and tables.
  static bool has_weights_as_constants(const onnx::GraphProto& graph) {
    std::unordered_set<std::string> matrices;
    for (const auto& node : graph.node()) {
      if (const onnx::TensorProto* const value = constant_of(node);
          value != nullptr && value->dims_size() > 1)
        matrices.insert(node.output(0));
      else if (hands_on_weights(node) && matrices.count(node.input(0)) != 0)
        matrices.insert(node.output(0));
    }
    return std::any_of(graph.node().begin(), graph.node().end(), [&](const onnx::NodeProto& node) {
      const Operator* const known = find_operator(node.domain(), node.op_type());
      return known != nullptr && known->work == Operator::Work::products && node.input_size() > 1 &&
             matrices.count(node.input(1)) != 0;
    });
  }

  static bool hands_on_weights(const onnx::NodeProto& node) {
    constexpr std::array<std::string_view, 8> operators = {"Identity",       "Transpose",       "Reshape",
                                                           "Unsqueeze",      "Squeeze",         "Cast",
                                                           "QuantizeLinear", "DequantizeLinear"};
    return node.input_size() > 0 && node.output_size() > 0 &&
           std::find(operators.begin(), operators.end(), node.op_type()) != operators.end();
  }

  static const onnx::TensorProto* constant_of(const onnx::NodeProto& node) {
    if (node.op_type() != "Constant" || node.output_size() == 0) return nullptr;
    const onnx::AttributeProto* const value = Attributes(node, nullptr).find("value");
    return value != nullptr && value->has_t() ? &value->t() : nullptr;
  }

  void add_initialisers(const onnx::GraphProto& graph) {
    for (const auto& tensor : graph.initializer()) add_tensor(tensor.name(), tensor);
    for (const auto& tensor : graph.sparse_initializer())
      add_tensor(tensor.values().name(), tensor.values());
    if (has_weights_as_constants(graph))
      for (const auto& node : graph.node())
        if (const onnx::TensorProto* const value = constant_of(node);
            value != nullptr && element_count(Shape(value->dims().begin(), value->dims().end())) > 1)
          add_tensor(node.output(0), *value);
    for (const auto& node : graph.node())
      for (const auto& attribute : node.attribute())
        if (attribute.has_g()) add_initialisers(attribute.g());
  }

  void add(const std::string& name, const Shape& shape, ElementType type) {
    if (!is_weight_type(type) || not_parameters_.count(name) != 0) return;
    const auto packed = packed_.find(name);
    std::int64_t count = element_count(shape);
    const auto bits = bits_.find(name);
    bytes_ = added(bytes_, bytes_of(count, bits != bits_.end() ? bits->second : bits_of(type)));
    if (packed != packed_.end())
      count =
          packed->second.elements > 0 ? packed->second.elements : multiplied(count, packed->second.in_one);
    sum_ = added(sum_, count);
  }

  std::unordered_set<std::string> not_parameters_;
  std::unordered_map<std::string, Packed> packed_;
  std::unordered_map<std::string, std::int64_t> bits_;
  std::int64_t sum_ = 0, bytes_ = 0;
};

}  // namespace

std::int64_t parameter_count(const Network& network) { return ParameterCount(network).sum(); }

std::int64_t parameter_bytes(const Network& network) { return ParameterCount(network).bytes(); }

std::int64_t activation_bytes(const Network& network) {
  const std::vector<std::int64_t> written = written_bits(network);
  std::int64_t sum = 0;
  const auto add = [&](std::int64_t index) {
    if (index < 0) return;
    const Tensor& tensor = network.tensors[static_cast<std::size_t>(index)];
    if (tensor.is_known_before_run() || !tensor.has_full_shape()) return;
    sum = added(sum, bytes_of(tensor.elements(), written[static_cast<std::size_t>(index)]));
  };
  for (const std::int64_t input : network.inputs) add(input);
  for (const NetworkNode& node : network.nodes) {
    const bool only_moves = node.known != nullptr && node.known->work == Operator::Work::rearrangement;
    // It is done on the way to who reads.
    if (only_moves || node.op_type == "DequantizeLinear") continue;
    for (const std::int64_t output : node.outputs) add(output);
  }
  return sum;
}

}  // namespace zz::core::onnx_import
