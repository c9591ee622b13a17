#include "core/input/onnx/network_report.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <onnx/onnx_pb.h>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/text.hpp"
#include "core/input/onnx/detail/constant_uses.hpp"
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

bool is_weight_type(ElementType type) {
  return type != ElementType::unknown &&
         (is_floating(type) || (is_integral(type) && type != ElementType::boolean && bits_of(type) <= 8));
}

std::int64_t added(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  return b > largest - a ? largest : a + b;
}

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

class ParameterCount {
 public:
  explicit ParameterCount(const Network& network)
      : network_(network), readings_(constant_readings(network)), needed_(needed_bits(network)) {
    for (std::size_t i = 0; i < network.tensors.size(); ++i)
      if (network.tensors[i].initialiser != nullptr) note(held_[network.tensors[i].initialiser], i);
    note_by_name(network.model->graph());
    add_initialisers(network.model->graph());
    add_inputs();
    add_constant_nodes();
    for (const std::int64_t index : readings_.computed) add(tensor(index), of(index));
  }

  std::int64_t sum() const { return sum_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  struct Held {
    ConstantReading reading;
    std::int64_t bits = 0;  ///< that its readers need, or 0
  };

  const Tensor& tensor(std::int64_t index) const {
    return network_.tensors[static_cast<std::size_t>(index)];
  }

  void note(Held& held, std::size_t index) const {
    held.reading.add(readings_.of_tensors[index]);
    held.bits = std::max(held.bits, needed_[index]);
  }

  Held of(std::int64_t index) const {
    Held held;
    note(held, static_cast<std::size_t>(index));
    return held;
  }

  /// Notes branches that are not taken as well: their weights are in the file, too.
  void note_by_name(const onnx::GraphProto& graph) {
    for (const onnx::NodeProto& node : graph.node()) {
      for (int i = 0; i < node.input_size(); ++i)
        by_name_[node.input(i)].add(reading_by_name(node, static_cast<std::size_t>(i)));
      for (const auto& attribute : node.attribute())
        if (attribute.has_g()) note_by_name(attribute.g());
    }
  }

  void add_initialisers(const onnx::GraphProto& graph) {
    for (const auto& tensor : graph.initializer()) add_initialiser(tensor);
    for (const auto& tensor : graph.sparse_initializer()) add_initialiser(tensor.values());
    for (const auto& node : graph.node())
      for (const auto& attribute : node.attribute())
        if (attribute.has_g()) add_initialisers(attribute.g());
  }

  void add_initialiser(const onnx::TensorProto& tensor) {
    const auto found = held_.find(&tensor);
    Held held = found != held_.end() ? found->second : Held();
    if (const auto named = by_name_.find(tensor.name());
        held.reading.use == ConstantUse::unread && named != by_name_.end())
      held.reading = named->second;
    add(element_count(Shape(tensor.dims().begin(), tensor.dims().end())), element_type(tensor.data_type()),
        held);
  }

  void add(const Tensor& tensor, const Held& held) {
    if (tensor.has_full_shape()) add(tensor.elements(), tensor.type, held);
  }

  void add_inputs() {
    for (const std::int64_t index : network_.weights)
      if (tensor(index).initialiser == nullptr) add(tensor(index), of(index));
  }

  /// Some exporters write all weights as constants; those of others are coefficients and tables.
  void add_constant_nodes() {
    std::unordered_map<const onnx::NodeProto*, std::pair<std::int64_t, Held>> constants;
    bool hold_weights = false;
    for (const NetworkNode& node : network_.nodes) {
      if (node.op_type != "Constant" || node.outputs.empty() || node.outputs[0] < 0) continue;
      auto& [index, held] = constants.emplace(node.proto, std::pair(node.outputs[0], Held())).first->second;
      note(held, static_cast<std::size_t>(node.outputs[0]));
      hold_weights = hold_weights || (held.reading.use == ConstantUse::weights && is_matrix(tensor(index)));
    }
    if (!hold_weights) return;
    for (const auto& [node, constant] : constants)
      if (tensor(constant.first).has_full_shape() && tensor(constant.first).elements() > 1)
        add(tensor(constant.first), constant.second);
  }

  static bool is_matrix(const Tensor& tensor) {
    return tensor.shape && std::count_if(tensor.shape->begin(), tensor.shape->end(),
                                         [](std::int64_t length) { return length > 1; }) > 1;
  }

  void add(std::int64_t count, ElementType type, const Held& held) {
    const ConstantUse use = held.reading.use;
    if (use == ConstantUse::scales) bytes_ = added(bytes_, bytes_of(count, bits_of(type)));
    if (use != ConstantUse::elements && use != ConstantUse::weights) return;
    const bool is_number = is_floating(type) || (is_integral(type) && type != ElementType::boolean);
    if (!is_weight_type(type) && !(use == ConstantUse::weights && is_number)) return;
    bytes_ = added(bytes_, bytes_of(count, held.bits > 0 ? held.bits : bits_of(type)));
    const PackedElements& packed = held.reading.packed;
    const std::int64_t in_one = bits_of(type) == 8 ? packed.in_one : 1;
    sum_ = added(sum_, packed.all > 0 ? packed.all : element_count({count, in_one}));
  }

  const Network& network_;
  const ConstantReadings readings_;
  const std::vector<std::int64_t> needed_;  // bits, by tensor
  std::unordered_map<const onnx::TensorProto*, Held> held_;
  std::unordered_map<std::string, ConstantReading> by_name_;
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
