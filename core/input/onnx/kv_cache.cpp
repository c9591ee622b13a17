#include "core/input/onnx/kv_cache.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "core/base/text.hpp"

namespace zz::core::onnx_import {
namespace {

/// Inputs of an attention operator that are caches. Its outputs from the second on are the new caches.
struct CacheInputs {
  std::string_view op_type;
  std::array<std::size_t, 2> inputs;
};
constexpr CacheInputs cache_inputs[] = {{"Attention", {4, 5}},
                                        {"com.microsoft:Attention", {4, 4}},
                                        {"com.microsoft:QAttention", {8, 8}},
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
    // Far beyond any memory, and far from overflow in a sum.
    constexpr std::int64_t most = std::int64_t{1} << 52;
    return (std::min(one.elements(), most) * std::min<std::int64_t>(bits_of(one.type), 64) + 7) / 8;
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

}  // namespace zz::core::onnx_import
