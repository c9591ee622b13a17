#include "core/input/onnx/network_workload.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/text.hpp"
#include "core/input/onnx/layer_of_product.hpp"
#include "core/input/onnx/uncosted_nodes.hpp"
#include "core/input/onnx/vector_layers.hpp"
#include "core/input/onnx/workload_builder.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"

namespace zz::core::onnx_import {
namespace {

class WorkloadMaker {
 public:
  WorkloadMaker(const Network& network, const OnnxReading& reading)
      : network_(network),
        reading_(reading),
        mapping_(reading.mapping),
        written_bits_(written_bits(network)),
        producers_(network.tensors.size(), none) {}

  Workload make() {
    for (const NetworkNode& node : network_.nodes) {
      try {
        if (!add_layers(node) && !add_vector_layer(node)) add_pass_through(node);
      } catch (const NodeProblem& problem) {
        report_uncosted(network_, node, problem, reading_, made_);
        add_pass_through(node);
      }
    }
    list_unknown_operators(network_, made_);
    warn_of_unknown_allowances(network_, reading_);
    return made_.take();
  }

 private:
  static constexpr std::int64_t none = -1;

  /// False when the node has no products.
  bool add_layers(const NetworkNode& node) {
    const std::vector<Product> products = network_.products(node);
    const bool empty = std::all_of(products.begin(), products.end(),
                                   [](const Product& product) { return mac_count(product) == 0; });
    if (empty) return false;
    std::vector<Layer> layers;
    for (const Product& product : products)
      layers.push_back(layer_of_product(network_, node, product, written_bits_, reading_.settings));
    connect(node, products, layers);
    return true;
  }

  void connect(const NetworkNode& node, const std::vector<Product>& products, std::vector<Layer>& layers) {
    std::vector<std::int64_t> ids(products.size(), none);  // none: a product without work
    std::vector<bool> read(node.inputs.size(), false);     // inputs that some product names
    std::int64_t last = none;
    for (std::size_t i = 0; i < products.size(); ++i) {
      if (mac_count(products[i]) == 0) continue;
      Layer& layer = layers[i];
      const auto source_of = [&](const ProductOperand& operand) {
        if (operand.product >= 0) return ids[static_cast<std::size_t>(operand.product)];
        if (operand.joined_product >= 0) return ids[static_cast<std::size_t>(operand.joined_product)];
        auto input = static_cast<std::size_t>(operand.joined_input);
        if (operand.joined_input < 0 || producer(node, input) == none)
          input = static_cast<std::size_t>(operand.input);
        read[input] = true;
        return producer(node, input);
      };
      set_source(layer, "I", source_of(products[i].input));
      set_source(layer, "W", source_of(products[i].weight));
      layer.source_order = {layer.operand_index("W"), layer.operand_index("I")};
      layer.name = made_.unique_name(std::move(layer.name));
      select_mapping(layer, mapping_, {layer.name, node.name, layer.type}, reading_.rules, reading_.mark,
                     reading_.diagnostics);
      last = ids[i] = made_.add_layer(std::move(layer));
    }
    // Biases, masks and scales are there before the last product ends.
    for (std::size_t input = 0; input < node.inputs.size(); ++input)
      if (const std::int64_t source = producer(node, input); source != none && !read[input])
        made_.add_edges({source}, last);
    set_producer(node, last);
  }

  /// False without a vector unit, and for a node that does no work on elements.
  bool add_vector_layer(const NetworkNode& node) {
    if (!reading_.settings.vector_layers || node.known == nullptr ||
        node.known->work != Operator::Work::vector || node.outputs.empty() || node.outputs[0] < 0 ||
        tensor(node.outputs[0]).is_known_before_run())
      return false;
    const OperatorNode view = network_.view(node);
    const std::int64_t result_bits = written_bits_[static_cast<std::size_t>(node.outputs[0])];
    std::optional<VectorLayer> made;
    if (is_pooling(view))
      made = VectorLayer{pooling_layer(view, result_bits, reading_.settings), -1, 0};
    else
      made = vector_layer(view, carried(node), result_bits, reading_.settings);
    if (!made) return false;
    Layer& layer = made->layer;
    const auto connect = [&](const char* name, int input) {
      set_source(layer, name, input < 0 ? none : producer(node, static_cast<std::size_t>(input)));
    };
    connect("I", made->data_input);
    connect("W", made->weight_input);
    layer.source_order = {layer.operand_index("W"), layer.operand_index("I")};
    layer.name = made_.unique_name(node.name);
    const std::string& type = view.op_type();
    select_mapping(layer, mapping_, {layer.name, node.name, type, lower_case(type), "vector"},
                   reading_.rules, reading_.mark, reading_.diagnostics);
    const std::int64_t id = made_.add_layer(std::move(layer));
    for (std::size_t input = 0; input < node.inputs.size(); ++input)
      if (const std::int64_t source = producer(node, input); source != none) made_.add_edges({source}, id);
    set_producer(node, id);
    return true;
  }

  std::vector<bool> carried(const NetworkNode& node) const {
    std::vector<bool> found;
    for (std::size_t input = 0; input < node.inputs.size(); ++input)
      found.push_back(producer(node, input) != none);
    return found;
  }

  const Tensor& tensor(std::int64_t index) const {
    return network_.tensors[static_cast<std::size_t>(index)];
  }

  static void set_source(Layer& layer, const char* name, std::int64_t source) {
    LayerOperand& operand = layer.operands[static_cast<std::size_t>(layer.operand_index(name))];
    operand.constant = source == none;
    if (source != none) operand.sources = {source};
  }

  void add_pass_through(const NetworkNode& node) {
    std::vector<std::int64_t> sources;
    for (std::size_t input = 0; input < node.inputs.size(); ++input)
      if (const std::int64_t source = producer(node, input); source != none) sources.push_back(source);
    std::int64_t elements = 0;
    for (const std::int64_t output : node.outputs) {
      if (output < 0) continue;
      if (tensor(output).has_full_shape()) elements += tensor(output).elements();
    }
    const std::string& type = network_.view(node).op_type();
    set_producer(node, made_.add_node(node.name, type, {}, std::move(sources), elements));
  }

  /// The id of what computes an input of the node; none for weights, for what follows from them alone, and
  /// for inputs of the network.
  std::int64_t producer(const NetworkNode& node, std::size_t input) const {
    const std::int64_t index = node.inputs[input];
    if (index < 0 || tensor(index).constant) return none;
    return producers_[static_cast<std::size_t>(index)];
  }

  void set_producer(const NetworkNode& node, std::int64_t id) {
    for (const std::int64_t output : node.outputs)
      if (output >= 0) producers_[static_cast<std::size_t>(output)] = id;
  }

  const Network& network_;
  const OnnxReading& reading_;
  const MappingSelection mapping_;
  const std::vector<std::int64_t> written_bits_;
  std::vector<std::int64_t> producers_;  // by tensor
  WorkloadBuilder made_;
};

}  // namespace

Workload workload_of(const Network& network, const OnnxReading& reading) {
  return WorkloadMaker(network, reading).make();
}

}  // namespace zz::core::onnx_import
