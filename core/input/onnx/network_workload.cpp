#include "core/input/onnx/network_workload.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/input/onnx/layer_of_product.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"
#include "core/text/letter_case.hpp"

namespace zz::core::onnx_import {
namespace {

class WorkloadMaker {
 public:
  WorkloadMaker(const Network& network, const MappingFile& mapping, const OnnxSettings& settings,
                const Rules& rules, SourceMark mark, Diagnostics& diagnostics)
      : network_(network),
        mapping_(mapping),
        settings_(settings),
        rules_(rules),
        mark_(std::move(mark)),
        diagnostics_(diagnostics),
        written_bits_(written_bits(network)),
        producers_(network.tensors.size(), none) {}

  Workload make() {
    for (const NetworkNode& node : network_.nodes) {
      if (!add_layers(node)) add_pass_through(node);
    }
    return std::move(workload_);
  }

 private:
  static constexpr std::int64_t none = -1;

  /// False when the node has no products, or none that can be made.
  bool add_layers(const NetworkNode& node) {
    try {
      const std::vector<Product> products = network_.products(node);
      const bool empty = std::all_of(products.begin(), products.end(),
                                     [](const Product& product) { return mac_count(product) == 0; });
      if (empty) return false;
      std::vector<Layer> layers;
      for (const Product& product : products)
        layers.push_back(layer_of_product(network_, node, product, written_bits_, settings_));
      connect(node, products, layers);
      return true;
    } catch (const NodeProblem& problem) {
      const std::string text = fmt::format("node '{}' ({}): {}", node.name, node.op_type, problem.what());
      if (settings_.allow_uncosted.count(node.op_type) != 0) {
        diagnostics_.warning(mark_, text + "; it has no cost");
        return false;
      }
      diagnostics_.error(mark_, text, problem.hint());
      return true;
    }
  }

  void connect(const NetworkNode& node, const std::vector<Product>& products, std::vector<Layer>& layers) {
    const std::int64_t first = next_id_;
    std::vector<std::int64_t> ids(products.size(), none);  // none: a product without work
    for (std::size_t i = 0; i < products.size(); ++i)
      if (mac_count(products[i]) > 0) ids[i] = next_id_++;
    std::set<std::int64_t> read;  // inputs that some product names
    for (std::size_t i = 0; i < products.size(); ++i) {
      if (ids[i] == none) continue;
      Layer& layer = layers[i];
      layer.id = ids[i];
      const auto source_of = [&](const ProductOperand& operand) {
        if (operand.product >= 0) return ids[static_cast<std::size_t>(operand.product)];
        read.insert(operand.input);
        return producer(node, operand.input);
      };
      set_source(layer, "I", source_of(products[i].input));
      set_source(layer, "W", source_of(products[i].weight));
      layer.source_order = {layer.operand_index("W"), layer.operand_index("I")};
      make_name_unique(layer.name, layer.id);
      select_mapping(layer, mapping_, {layer.name, node.name, layer.type}, rules_, mark_, diagnostics_);
      for (const LayerOperand& operand : layer.operands)
        for (const std::int64_t source : operand.sources) add_edge(source, layer.id);
      workload_.node_order.push_back(layer.id);
      workload_.layers.push_back(std::make_shared<const Layer>(std::move(layer)));
    }
    // Biases, masks and scales are there before the last product ends.
    for (std::size_t input = 0; input < node.inputs.size(); ++input) {
      const std::int64_t source = producer(node, static_cast<int>(input));
      if (source != none && read.count(static_cast<std::int64_t>(input)) == 0)
        add_edge(source, next_id_ - 1);
    }
    if (first != next_id_) set_producer(node, next_id_ - 1);
  }

  static void set_source(Layer& layer, const char* name, std::int64_t source) {
    LayerOperand& operand = layer.operands[static_cast<std::size_t>(layer.operand_index(name))];
    operand.constant = source == none;
    if (source != none) operand.sources = {source};
  }

  void add_pass_through(const NetworkNode& node) {
    PassThroughNode result;
    result.id = next_id_++;
    result.name = node.name;
    result.type = lower_case(network_.view(node).op_type());
    for (std::size_t input = 0; input < node.inputs.size(); ++input) {
      const std::int64_t source = producer(node, static_cast<int>(input));
      if (source == none) continue;
      result.sources.push_back(source);
      add_edge(source, result.id);
    }
    for (const std::int64_t output : node.outputs) {
      if (output < 0) continue;
      const Tensor& tensor = network_.tensors[static_cast<std::size_t>(output)];
      if (tensor.has_full_shape()) result.output_elements += tensor.elements();
    }
    workload_.node_order.push_back(result.id);
    set_producer(node, result.id);
    workload_.pass_through.push_back(std::move(result));
  }

  /// The id of what computes an input of the node; none for weights, for what follows from them alone, and
  /// for inputs of the network.
  std::int64_t producer(const NetworkNode& node, int input) const {
    const std::int64_t tensor = node.inputs[static_cast<std::size_t>(input)];
    if (tensor < 0 || network_.tensors[static_cast<std::size_t>(tensor)].constant) return none;
    return producers_[static_cast<std::size_t>(tensor)];
  }

  void set_producer(const NetworkNode& node, std::int64_t id) {
    for (const std::int64_t output : node.outputs)
      if (output >= 0) producers_[static_cast<std::size_t>(output)] = id;
  }

  void add_edge(std::int64_t from, std::int64_t to) {
    if (known_edges_.emplace(from, to).second) workload_.edges.emplace_back(from, to);
  }

  // Files may give several nodes one name.
  void make_name_unique(std::string& name, std::int64_t id) {
    if (!names_.insert(name).second) {
      name += fmt::format("#{}", id);
      names_.insert(name);
    }
  }

  const Network& network_;
  const MappingSelection mapping_;
  const OnnxSettings& settings_;
  const Rules& rules_;
  const SourceMark mark_;
  Diagnostics& diagnostics_;
  const std::vector<std::int64_t> written_bits_;
  std::vector<std::int64_t> producers_;  // by tensor
  std::set<std::pair<std::int64_t, std::int64_t>> known_edges_;
  std::set<std::string> names_;
  std::int64_t next_id_ = 0;
  Workload workload_;
};

}  // namespace

Workload workload_of(const Network& network, const MappingFile& mapping, const OnnxSettings& settings,
                     const Rules& rules, const SourceMark& mark, Diagnostics& diagnostics) {
  return WorkloadMaker(network, mapping, settings, rules, mark, diagnostics).make();
}

}  // namespace zz::core::onnx_import
