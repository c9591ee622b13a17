#include "core/input/stream/stream_network_workload.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/base/text.hpp"
#include "core/input/onnx/element_places.hpp"
#include "core/input/onnx/layer_of_product.hpp"
#include "core/input/onnx/uncosted_nodes.hpp"
#include "core/input/onnx/vector_layers.hpp"
#include "core/input/stream/stream_sources.hpp"
#include "core/input/stream/stream_workload_builder.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"

namespace zz::core::onnx_import {
namespace {

constexpr std::int64_t no_producer = StreamSources::none;
constexpr const char* vector_group = "vector";

/// Weights of a convolution have an axis of groups only when there are groups, as Stream writes them.
void leave_out_single_group(Layer& layer) {
  std::vector<std::string>& dimensions =
      layer.operands[static_cast<std::size_t>(layer.operand_index("W"))].dimensions;
  if (layer.loop_size("G") != 1 || dimensions.empty() || dimensions.front() != "G") return;
  dimensions.erase(dimensions.begin());
  if (const auto at = layer.equation.find("W[g]"); at != std::string::npos) layer.equation.erase(at + 1, 3);
}

class StreamWorkloadMaker {
 public:
  StreamWorkloadMaker(const Network& network, const OnnxReading& reading)
      : network_(network),
        reading_(reading),
        mapping_(reading.mapping),
        written_bits_(written_bits(network)),
        sources_(network) {}

  Workload make() {
    for (const NetworkNode& node : network_.nodes) {
      if (node.inputs.empty()) {
        made_.skip_id();
        continue;
      }
      try {
        if (!add_products(node) && !add_vector_layer(node)) add_pass_through(node);
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
  /// Of the inputs that the operand reads; -1 for one that is none.
  void set_offchip_part(LayerOperand& operand, const Layer& layer, const NetworkNode& node,
                        const std::vector<int>& inputs) const {
    if (operand.constant) return;
    const std::int64_t most = element_count(data_lengths(layer, layer.operand_index(operand.name)));
    for (const int input : inputs)
      if (input >= 0)
        operand.offchip_elements +=
            std::min(sources_.offchip_elements(node, static_cast<std::size_t>(input)),
                     most - operand.offchip_elements);
  }

  // Layers.

  /// False when the node has no products.
  bool add_products(const NetworkNode& node) {
    const OperatorNode view = network_.view(node);
    const std::vector<Product> products = network_.products(node);
    std::vector<Layer> layers;
    for (const Product& product : products)
      layers.push_back(layer_of_product(network_, node, product, written_bits_, reading_.settings));
    std::vector<std::int64_t> ids(products.size(), no_producer);
    const auto first = std::find_if(products.begin(), products.end(),
                                    [](const Product& product) { return mac_count(product) > 0; });
    if (first == products.end()) return false;
    std::set<int> read;
    for (const Product& product : products)
      for (const ProductOperand* operand : {&product.input, &product.weight})
        read.insert({operand->input, operand->joined_input});
    std::vector<std::int64_t> written;  // layers that write to outputs
    for (std::size_t i = 0; i < products.size(); ++i) {
      const Product& product = products[i];
      if (mac_count(product) == 0) continue;
      Layer& layer = layers[i];
      const bool convolution = view.op_type() == "Conv" || view.op_type() == "QLinearConv";
      layer.type = convolution ? "conv" : lower_case(view.op_type());
      if (convolution) leave_out_single_group(layer);
      const auto connect = [&](const char* name, const ProductOperand& operand) {
        LayerOperand& read_as = layer.operands[static_cast<std::size_t>(layer.operand_index(name))];
        const std::int64_t source = product_source(node, view, operand, layer, name, ids, layers);
        read_as.constant = source == no_producer;
        if (source != no_producer) read_as.sources = {source};
        set_offchip_part(read_as, layer, node,
                         operand.product < 0 ? std::vector<int>{operand.input, operand.joined_input}
                                             : std::vector<int>{});
      };
      connect("I", product.input);
      connect("W", product.weight);
      if (&product == &*first) add_further_sources(node, read, layer);
      const int weight = layer.operand_index("W"), input = layer.operand_index("I");
      layer.source_order =
          product.weight_first ? std::vector<int>{input, weight} : std::vector<int>{weight, input};
      ids[i] = add_layer(std::move(layer), node, Group::products);
      layers[i] = made_.last_layer();
      if (product.output >= 0) written.push_back(ids[i]);
    }
    set_results_of_products(node, products, layers, written);
    return true;
  }

  /// What an operand of a product reads; no_producer for what lies off chip.
  std::int64_t product_source(const NetworkNode& node, const OperatorNode& view,
                              const ProductOperand& operand, const Layer& layer, const char* name,
                              const std::vector<std::int64_t>& ids, const std::vector<Layer>& layers) {
    const Shape wanted = data_lengths(layer, layer.operand_index(name));
    const std::string reading = fmt::format("{}/{}", layer.name, name);
    if (operand.product >= 0) {
      const auto product = static_cast<std::size_t>(operand.product);
      if (ids[product] == no_producer || data_lengths(layers[product], 0) == wanted) return ids[product];
      return made_.add_any_element(reading, view.op_type(), {ids[product]});
    }
    const auto input = static_cast<std::size_t>(operand.input);
    if (operand.joined_input >= 0 || operand.joined_product >= 0) {
      std::vector<std::int64_t> all{sources_.of(node, input)};
      all.push_back(operand.joined_product >= 0
                        ? ids[static_cast<std::size_t>(operand.joined_product)]
                        : sources_.of(node, static_cast<std::size_t>(operand.joined_input)));
      all.erase(std::remove(all.begin(), all.end(), no_producer), all.end());
      return all.empty() ? no_producer : made_.add_any_element(reading, view.op_type(), std::move(all));
    }
    std::int64_t source = sources_.of(node, input);
    if (source == no_producer) return source;
    Shape shape = view.full_shape(input);
    const bool transposed = view.attributes().integer(input == 0 ? "transA" : "transB", 0) != 0;
    if (transposed && shape.size() >= 2) {
      ShapeChange change;
      change.kind = ShapeChange::Kind::transpose;
      change.from = shape;
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
        change.indices.push_back(static_cast<std::int64_t>(axis));
      std::swap(change.indices[shape.size() - 1], change.indices[shape.size() - 2]);
      std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
      source = made_.add_node(reading, view.op_type(), std::move(change), {source}, element_count(shape));
    }
    return merges_neighbours(wanted, shape) ? source
                                            : made_.add_any_element(reading, view.op_type(), {source});
  }

  /// What the node reads besides its operands (biases, masks, new keys) delays the operand I.
  void add_further_sources(const NetworkNode& node, const std::set<int>& read, Layer& layer) {
    std::vector<std::int64_t> further;
    for (std::size_t input = 0; input < node.inputs.size(); ++input) {
      const std::int64_t source = sources_.of(node, input);
      if (source != no_producer && read.count(static_cast<int>(input)) == 0) further.push_back(source);
    }
    if (further.empty()) return;
    const int index = layer.operand_index("I");
    LayerOperand& operand = layer.operands[static_cast<std::size_t>(index)];
    if (operand.constant) operand.offchip_elements = element_count(data_lengths(layer, index));
    operand.constant = false;
    operand.sources.push_back(
        made_.add_any_element(layer.name + "/further", layer.type, std::move(further)));
  }

  void set_results_of_products(const NetworkNode& node, const std::vector<Product>& products,
                               const std::vector<Layer>& layers, const std::vector<std::int64_t>& written) {
    const std::int64_t last = made_.last_layer().id;
    bool direct =
        written.size() == 1 && node.outputs[0] >= 0 && sources_.tensor(node.outputs[0]).has_full_shape();
    for (std::size_t i = 0; direct && i < products.size(); ++i)
      if (layers[i].id == written[0] && products[i].output == 0)
        direct = merges_neighbours(data_lengths(layers[i], 0), *sources_.tensor(node.outputs[0]).shape);
    std::int64_t other = no_producer;
    for (std::size_t output = 0; output < node.outputs.size(); ++output) {
      if (node.outputs[output] < 0) continue;
      if (output == 0 && direct) {
        sources_.set(node, output, written[0]);
        continue;
      }
      if (other == no_producer)
        other = made_.add_any_element(node.name + "/result", network_.view(node).op_type(),
                                      written.empty() ? std::vector<std::int64_t>{last} : written);
      sources_.set(node, output, other);
    }
  }

  enum class Group { products, vector };

  std::int64_t add_layer(Layer layer, const NetworkNode& node, Group group) {
    layer.id = made_.next_id();
    layer.name = made_.unique_name(layer.name);
    std::vector<std::string> names{layer.name, node.name, fmt::format("Layer{}", layer.id),
                                   network_.view(node).op_type(), layer.type};
    if (group == Group::vector) names.emplace_back(vector_group);
    select_mapping(layer, mapping_, names, reading_.rules, reading_.mark, reading_.diagnostics);
    return made_.add_layer(std::move(layer));
  }

  std::int64_t result_bits(const NetworkNode& node) const {
    return written_bits_[static_cast<std::size_t>(node.outputs.at(0))];
  }

  /// False when the node is none, or has no entry of the mapping file that makes it one.
  bool add_vector_layer(const NetworkNode& node) {
    if (node.known == nullptr || node.known->work != Operator::Work::vector || node.outputs.empty() ||
        node.outputs[0] < 0 || sources_.tensor(node.outputs[0]).is_known_before_run())
      return false;
    const OperatorNode view = network_.view(node);
    if (is_pooling(view)) {
      VectorLayer made{pooling_layer(view, result_bits(node), reading_.settings), -1, 0};
      add_connected(node, view, std::move(made), true);
      return true;
    }
    const std::vector<bool> carried = sources_.carried(node);
    const bool computed = std::find(carried.begin(), carried.end(), true) != carried.end();
    const bool named = computed && mapping_.has_entry({node.name, view.op_type(),
                                                       lower_case(view.op_type()), vector_group});
    if (!named && !is_sum_or_product_of_alike(view)) return false;
    auto made = vector_layer(view, carried, result_bits(node), reading_.settings);
    if (!made) return false;
    add_connected(node, view, std::move(*made), false);
    return true;
  }

  void add_connected(const NetworkNode& node, const OperatorNode& view, VectorLayer made, bool data_first) {
    Layer& layer = made.layer;
    layer.name = node.name;
    std::set<int> read{made.data_input, made.weight_input};
    const auto connect = [&](const char* name, int input) {
      const int operand = layer.operand_index(name);
      LayerOperand& reads = layer.operands[static_cast<std::size_t>(operand)];
      std::int64_t source = input < 0 ? no_producer : sources_.of(node, static_cast<std::size_t>(input));
      const bool in_order =
          source == no_producer ||
          merges_neighbours(data_lengths(layer, operand), view.full_shape(static_cast<std::size_t>(input)));
      if (!in_order)
        source = made_.add_any_element(fmt::format("{}/{}", node.name, name), view.op_type(), {source});
      reads.constant = source == no_producer;
      if (source != no_producer) reads.sources = {source};
      set_offchip_part(reads, layer, node, {input});
      layer.source_order.push_back(operand);
    };
    if (data_first) connect("I", made.data_input);
    connect("W", made.weight_input);
    if (!data_first) connect("I", made.data_input);
    add_further_sources(node, read, layer);
    const std::int64_t id = add_layer(std::move(layer), node, Group::vector);
    for (std::size_t output = 0; output < node.outputs.size(); ++output) sources_.set(node, output, id);
  }

  // Pass-through nodes.

  void add_pass_through(const NetworkNode& node) {
    const OperatorNode view = network_.view(node);
    const std::vector<bool> carried = sources_.carried(node);
    const bool carries = std::find(carried.begin(), carried.end(), true) != carried.end();
    bool one_is_made = false;
    for (std::size_t output = 0; output < node.outputs.size(); ++output) {
      const std::int64_t index = node.outputs[output];
      if (index < 0 || (one_is_made && !carries)) continue;
      const Tensor& result = sources_.tensor(index);
      const std::string name = one_is_made ? fmt::format("{}/{}", node.name, output) : node.name;
      const std::int64_t elements = result.has_full_shape() ? result.elements() : 0;
      one_is_made = true;
      if (!carries || result.is_known_before_run()) {
        made_.add_node(name, view.op_type(), {}, {}, elements);
        continue;
      }
      std::vector<std::int64_t> sources;
      ShapeChange change = change_by(node, view, output, sources);
      const std::int64_t id =
          made_.add_node(name, view.op_type(), std::move(change), std::move(sources), elements);
      sources_.set(node, output, id);
      sources_.pass_on(node, output);
    }
    if (!one_is_made) made_.skip_id();
  }

  /// What the operator does to the places of its data. Fills in the nodes whose data it reads, one for each
  /// input.
  ShapeChange change_by(const NetworkNode& node, const OperatorNode& view, std::size_t output,
                        std::vector<std::int64_t>& sources) {
    std::vector<std::size_t> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (sources_.of(node, i) != no_producer) inputs.push_back(i);
    for (const std::size_t input : inputs) sources.push_back(sources_.of(node, input));
    if (joins_tensors(view)) {
      const ShapeChange change = joined(node, view, inputs, sources);
      if (change.kind != ShapeChange::Kind::all) return change;
    } else if (view.op_type() == "Resize" || view.op_type() == "Upsample") {
      return {};  // along axes that keep their length, elements stay where they are
    } else if (works_element_by_element(view)) {
      repeat(view, output, inputs, sources);
      return {};
    } else {
      const bool alike = std::all_of(inputs.begin(), inputs.end(), [&](std::size_t input) {
        return view.shape(input) != nullptr && view.shape(0) != nullptr &&
               *view.shape(input) == *view.shape(0);
      });
      const ShapeChange change = element_places(view, output);
      const bool on_all = change.kind == ShapeChange::Kind::rows && alike;
      if (on_all || inputs == std::vector<std::size_t>{0}) return change;
    }
    ShapeChange change;
    change.kind = ShapeChange::Kind::all;
    return change;
  }

  /// Puts a node before each input that is repeated to the shape of the result.
  void repeat(const OperatorNode& view, std::size_t output, const std::vector<std::size_t>& inputs,
              std::vector<std::int64_t>& sources) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Tensor &input = view.input(inputs[i]), &result = view.output(output);
      ShapeChange change;
      change.kind = ShapeChange::Kind::all;
      if (input.has_full_shape() && result.has_full_shape()) {
        if (*input.shape == *result.shape) continue;
        change = broadcast_places(*input.shape, *result.shape);
      }
      const std::int64_t elements =
          change.kind == ShapeChange::Kind::all ? 0 : element_count(*result.shape);
      sources[i] = made_.add_node(fmt::format("{}/repeated", input.name), "Expand", std::move(change),
                                  {sources[i]}, elements);
    }
  }

  ShapeChange joined(const NetworkNode& node, const OperatorNode& view,
                     const std::vector<std::size_t>& inputs, std::vector<std::int64_t>& sources) {
    ShapeChange change;
    change.kind = ShapeChange::Kind::all;
    for (std::size_t i = 0; i < view.input_count(); ++i)
      if (!view.has_input(i) || !view.input(i).has_full_shape()) return change;
    if (!view.output(0).has_full_shape()) return change;
    change.kind = ShapeChange::Kind::concat;
    change.shape = view.full_output_shape(0);
    const std::size_t axis = axis_from_front(view.attributes().integer("axis", 1), change.shape.size());
    change.axis = static_cast<std::int64_t>(axis);
    std::int64_t begin = 0;
    std::size_t next = 0;
    for (std::size_t i = 0; i < view.input_count(); ++i) {
      const Shape& part = view.full_shape(i);
      if (next < inputs.size() && inputs[next] == i) {
        change.indices.push_back(begin);
        if (made_.shape_of(sources[next]) != part) {
          ShapeChange axes;
          axes.kind = ShapeChange::Kind::reshape;
          axes.shape = part;
          sources[next] = made_.add_node(fmt::format("{}/axes", node.name), "Reshape", std::move(axes),
                                         {sources[next]}, element_count(part));
        }
        ++next;
      }
      begin += part[axis];
    }
    return change;
  }

  const Network& network_;
  const OnnxReading& reading_;
  const MappingSelection mapping_;
  const std::vector<std::int64_t> written_bits_;
  StreamSources sources_;
  StreamWorkloadBuilder made_;
};

}  // namespace

Workload stream_workload_of(const Network& network, const OnnxReading& reading) {
  return StreamWorkloadMaker(network, reading).make();
}

}  // namespace zz::core::onnx_import
