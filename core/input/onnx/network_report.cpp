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

/// The bits that each tensor needs: those of its type, or fewer where every reader rounds to them.
std::vector<std::int64_t> needed_bits(const Network& network) {
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
  return needed;
}

bool is_one_of(const std::vector<int>& inputs, std::size_t input) {
  return std::find(inputs.begin(), inputs.end(), static_cast<int>(input)) != inputs.end();
}

/// Counts what products and other operators with data read of the file. What is computed from constants
/// alone counts as the constant of as many elements in it: that of `W * scale` is W.
class ParameterCount {
 public:
  explicit ParameterCount(const Network& network) : network_(network), bits_(needed_bits(network)) {
    start();
    for (const NetworkNode& node : network.nodes)
      if (is_constant(node))
        hand_on(node);
      else
        read(node);
    add_up();
  }

  std::int64_t sum() const { return sum_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  enum class Source { none, file, constant_node, computed };
  enum class Use { none, other, bias, weight };

  struct Origin {
    Source source = Source::none;
    Use use = Use::none;
    bool is_matrix_of_product = false;
    Packed packed;
  };

  const Tensor& tensor(std::int64_t index) const {
    return network_.tensors[static_cast<std::size_t>(index)];
  }
  Origin& origin(std::int64_t index) { return origins_[static_cast<std::size_t>(index)]; }
  const std::vector<std::int64_t>& origins_of(std::int64_t index) const {
    static const std::vector<std::int64_t> none;
    return index < 0 ? none : found_[static_cast<std::size_t>(index)];
  }

  void start() {
    origins_.resize(network_.tensors.size());
    found_.resize(network_.tensors.size());
    for (const std::int64_t index : network_.weights) start_at(index, Source::file);
    for (const auto& sparse : network_.model->graph().sparse_initializer())
      stored_elements_[sparse.values().name()] =
          element_count(Shape(sparse.values().dims().begin(), sparse.values().dims().end()));
  }

  void start_at(std::int64_t index, Source source) {
    origin(index).source = source;
    found_[static_cast<std::size_t>(index)] = {index};
  }

  bool is_constant(const NetworkNode& node) const {
    return std::all_of(node.outputs.begin(), node.outputs.end(),
                       [&](std::int64_t output) { return output < 0 || tensor(output).constant; });
  }

  /// Where the elements of what a node computes from constants come from.
  void hand_on(const NetworkNode& node) {
    for (const std::int64_t output : node.outputs) {
      if (output < 0) continue;
      if (node.op_type == "Constant") {
        start_at(output, Source::constant_node);
        continue;
      }
      std::vector<std::int64_t>& found = found_[static_cast<std::size_t>(output)];
      if (node.known != nullptr && node.known->work == Operator::Work::rearrangement) {
        for (std::size_t i = 0; i < (node.op_type == "Concat" ? node.inputs.size() : 1); ++i)
          found.insert(found.end(), origins_of(node.inputs[i]).begin(), origins_of(node.inputs[i]).end());
      } else if (const std::int64_t whole = as_large_as(node, tensor(output)); whole >= 0) {
        found = origins_of(whole);
      } else if (std::any_of(node.inputs.begin(), node.inputs.end(),
                             [&](std::int64_t input) { return !origins_of(input).empty(); })) {
        start_at(output, Source::computed);
      }
    }
  }

  /// The input with as many elements, of the same type if there are several; -1 without.
  std::int64_t as_large_as(const NetworkNode& node, const Tensor& result) const {
    std::int64_t found = -1;
    for (const std::int64_t input : node.inputs) {
      if (origins_of(input).empty() || !tensor(input).has_full_shape() || !result.has_full_shape() ||
          tensor(input).elements() != result.elements())
        continue;
      if (found < 0 || (tensor(found).type != result.type && tensor(input).type == result.type))
        found = input;
    }
    return found;
  }

  void read(const NetworkNode& node) {
    const std::string_view type = node.known != nullptr ? node.known->name : std::string_view();
    std::set<std::size_t> multiplied;
    try {
      for (const Product& product : network_.products(node))
        for (const ProductOperand* const operand : {&product.weight, &product.input})
          if (operand->input >= 0) multiplied.insert(static_cast<std::size_t>(operand->input));
    } catch (const NodeProblem&) {
      // Its shapes are open; its weights count by type.
    }
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (origins_of(node.inputs[i]).empty() || steers(type, i)) continue;
      const Use use = multiplied.count(i) != 0 ? Use::weight
                      : is_bias(node, type, i) ? Use::bias
                                               : Use::other;
      for (const std::int64_t index : origins_of(node.inputs[i])) {
        origin(index).use = std::max(origin(index).use, use);
        if (use == Use::weight && (i > 0 || is_matrix(tensor(index))))
          origin(index).is_matrix_of_product = true;
      }
    }
    note_packed(node, type);
  }

  static bool is_matrix(const Tensor& tensor) {
    return tensor.shape && std::count_if(tensor.shape->begin(), tensor.shape->end(),
                                         [](std::int64_t length) { return length > 1; }) > 1;
  }

  /// Scales, zero points and bounds, and lengths that are given as real numbers.
  static bool steers(std::string_view type, std::size_t input) {
    if (type == "QLinearConcat") return input < 2 || input % 3 != 2;
    constexpr std::array<std::string_view, 5> by_first_input = {"Resize", "Upsample", "Clip", "Pad",
                                                                "Dropout"};
    if (input > 0 && std::find(by_first_input.begin(), by_first_input.end(), type) != by_first_input.end())
      return true;
    return std::any_of(quantisation_inputs().begin(), quantisation_inputs().end(),
                       [&](const QuantisationInputs& each) {
                         return each.op_type == type && is_one_of(each.inputs, input);
                       });
  }

  bool is_bias(const NetworkNode& node, std::string_view type, std::size_t input) const {
    static const std::vector<QuantisationInputs> biases = {{"Conv", {2}},
                                                           {"ConvTranspose", {2}},
                                                           {"FusedConv", {2}},
                                                           {"DeformConv", {4}},
                                                           {"Gemm", {2}},
                                                           {"FusedGemm", {2}},
                                                           {"QLinearConv", {8}},
                                                           {"QGemm", {6}},
                                                           {"MatMulIntegerToFloat", {6}},
                                                           {"DynamicQuantizeMatMul", {4}},
                                                           {"Attention", {2}},
                                                           {"QAttention", {2}},
                                                           {"LSTM", {3}},
                                                           {"GRU", {3}},
                                                           {"RNN", {3}}};
    for (const QuantisationInputs& each : biases)
      if (each.op_type == type)
        return is_one_of(each.inputs, input) && is_integral(tensor(node.outputs[0]).type) &&
               !type.starts_with("Q");
    if (type != "Add" && type != "Sub" && type != "Sum") return false;
    // Steps of a quantisation and places in a sequence are integers beside sums that are none.
    if (!is_integral(tensor(node.outputs[0]).type)) return false;
    return std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](std::int64_t other) { return other >= 0 && is_result_of_product(other); });
  }

  /// Directly, or moved and scaled.
  bool is_result_of_product(std::int64_t index) const {
    constexpr int most_steps = 8;
    for (int step = 0; step < most_steps && index >= 0 && tensor(index).producer >= 0; ++step) {
      const NetworkNode& node = network_.nodes[static_cast<std::size_t>(tensor(index).producer)];
      if (node.known == nullptr || tensor(index).constant) return false;
      if (node.known->work == Operator::Work::products) return true;
      const std::string_view type = node.known->name;
      if (node.known->work != Operator::Work::rearrangement && type != "Cast" && type != "Mul" &&
          type != "Div" && type != "BitShift" && type != "DequantizeLinear" && !node.known->rounds)
        return false;
      const auto data = std::find_if(node.inputs.begin(), node.inputs.end(), [&](std::int64_t input) {
        return input >= 0 && !tensor(input).constant;
      });
      index = data == node.inputs.end() ? -1 : *data;
    }
    return false;
  }

  void note_packed(const NetworkNode& node, std::string_view type) {
    const auto integer = [&](const char* name, std::int64_t otherwise) {
      const onnx::AttributeProto* const found = Attributes(*node.proto, node.call).find(name);
      return found != nullptr ? found->i() : otherwise;
    };
    const auto pack = [&](std::size_t input, const Packed& packed) {
      if (input >= node.inputs.size()) return;
      for (const std::int64_t index : origins_of(node.inputs[input])) origin(index).packed = packed;
    };
    const auto pack_matrix = [&](std::size_t input, const char* columns) {
      pack(input, {multiplied(std::max<std::int64_t>(integer("K", 0), 0),
                              std::max<std::int64_t>(integer(columns, 0), 0)),
                   1});
    };
    if (type == "MatMulNBits" || type == "MatMulBnb4") pack_matrix(1, "N");
    if (type == "MatMulNBitsMlp")
      for (const std::size_t input : {3U, 6U}) pack_matrix(input, "N");
    if (type == "MatMulNBitsQkv")
      for (const std::size_t input : {3U, 6U, 9U}) pack_matrix(input, input == 3 ? "Nq" : "Nkv");
    if (type == "MatMulBlockQuantizedFp4Weight") pack(1, {0, 2});
    if (type == "QMoE")
      for (const std::size_t input : {2U, 5U, 8U})
        pack(input, {0, integer("expert_weight_bits", 4) == 4 ? 2 : 1});
    if (type == "GatherBlockQuantized") pack(0, {0, integer("bits", 4) == 4 ? 2 : 1});
  }

  /// Some exporters write all weights as constants; those of others are coefficients and tables.
  bool has_weights_as_constants() const {
    for (std::size_t i = 0; i < origins_.size(); ++i)
      if (origins_[i].source == Source::constant_node && origins_[i].is_matrix_of_product &&
          network_.tensors[i].shape->size() > 1)
        return true;
    return false;
  }

  void add_up() {
    const bool constants_count = has_weights_as_constants();
    // The body of a loop has its initialisers once.
    std::unordered_set<std::string> names;
    for (std::size_t i = 0; i < origins_.size(); ++i) {
      const Origin& one = origins_[i];
      const Tensor& tensor = network_.tensors[i];
      if (one.use == Use::none || !tensor.has_full_shape()) continue;
      if (one.source == Source::constant_node && (!constants_count || tensor.elements() < 2)) continue;
      if (one.source == Source::computed && one.use != Use::weight) continue;
      const bool is_used =
          one.use != Use::other && is_integral(tensor.type) && tensor.type != ElementType::boolean;
      if (!is_weight_type(tensor.type) && !is_used) continue;
      if (names.insert(without_iteration(tensor.name)).second) add(one, tensor, bits_[i]);
    }
  }

  static std::string without_iteration(const std::string& name) {
    std::string made;
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (name[i] != '#') {
        made += name[i];
        continue;
      }
      while (i + 1 < name.size() && name[i + 1] >= '0' && name[i + 1] <= '9') ++i;
    }
    return made;
  }

  void add(const Origin& one, const Tensor& tensor, std::int64_t bits) {
    std::int64_t count = tensor.elements();
    if (const auto stored = stored_elements_.find(tensor.name); stored != stored_elements_.end())
      count = stored->second;
    bytes_ = added(bytes_, bytes_of(count, bits > 0 ? bits : bits_of(tensor.type)));
    count = one.packed.elements > 0 ? one.packed.elements : multiplied(count, one.packed.in_one);
    sum_ = added(sum_, count);
  }

  const Network& network_;
  const std::vector<std::int64_t> bits_;
  std::vector<Origin> origins_;                                    // by tensor
  std::vector<std::vector<std::int64_t>> found_;                   // the origins of each tensor
  std::unordered_map<std::string, std::int64_t> stored_elements_;  // of those without their zeros
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
