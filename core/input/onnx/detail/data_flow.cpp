#include "core/input/onnx/detail/data_flow.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>

#include "core/input/onnx/detail/element_places.hpp"

namespace zz::core::onnx_import {

std::int64_t DataFlow::source(const NetworkNode& node, std::size_t input) const {
  const std::int64_t index = input < node.inputs.size() ? node.inputs[input] : -1;
  if (index < 0 || lies_ready(tensor(index))) return none;
  return producers_[static_cast<std::size_t>(index)];
}

std::vector<bool> DataFlow::carried(const NetworkNode& node) const {
  std::vector<bool> found;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) found.push_back(source(node, i) != none);
  return found;
}

void DataFlow::set(const NetworkNode& node, std::size_t output, std::int64_t id) {
  if (node.outputs[output] >= 0) producers_[static_cast<std::size_t>(node.outputs[output])] = id;
}

namespace {

LayerOperand& operand_of(Layer& layer, const char* name) {
  return layer.operands[static_cast<std::size_t>(layer.operand_index(name))];
}

void set_source(LayerOperand& operand, std::int64_t source) {
  operand.constant = source == DataFlow::none;
  if (source != DataFlow::none) operand.sources = {source};
}

class FlowOfTensors : public DataFlow {
 public:
  FlowOfTensors(const Network& network, WorkloadBuilder& made) : DataFlow(network, made) {}

  void connect(NodeProducts& of_node, std::size_t i) override {
    const auto source_of = [&](const ProductOperand& operand) {
      if (operand.product >= 0) return of_node.ids[static_cast<std::size_t>(operand.product)];
      if (operand.joined_product >= 0) return of_node.ids[static_cast<std::size_t>(operand.joined_product)];
      return source(of_node.node, input_of(of_node.node, operand));
    };
    connect(of_node.layers[i], source_of(of_node.products[i].input), source_of(of_node.products[i].weight));
  }

  /// Data that no operand reads (biases, masks, scales) are there before the last product ends.
  void set_results(const NodeProducts& of_node) override {
    const NetworkNode& node = of_node.node;
    std::vector<bool> read(node.inputs.size(), false);
    std::int64_t last = none;
    for (std::size_t i = 0; i < of_node.products.size(); ++i) {
      if (of_node.ids[i] == none) continue;
      last = of_node.ids[i];
      for (const ProductOperand* operand : {&of_node.products[i].input, &of_node.products[i].weight})
        if (operand->product < 0 && operand->joined_product < 0) read[input_of(node, *operand)] = true;
    }
    for (std::size_t input = 0; input < node.inputs.size(); ++input)
      if (const std::int64_t id = source(node, input); id != none && !read[input])
        made_.add_edges({id}, last);
    set_all(node, last);
  }

  void connect(const NetworkNode& node, VectorLayer& made) override {
    const auto source_of = [&](int input) {
      return input < 0 ? none : source(node, static_cast<std::size_t>(input));
    };
    connect(made.layer, source_of(made.data_input), source_of(made.weight_input));
  }

  void set_results(const NetworkNode& node, std::int64_t layer) override {
    made_.add_edges(sources(node), layer);
    set_all(node, layer);
  }

  void add_pass_through(const NetworkNode& node) override {
    std::int64_t elements = 0;
    for (const std::int64_t output : node.outputs)
      if (output >= 0 && tensor(output).has_full_shape()) elements += tensor(output).elements();
    set_all(node, made_.add_node(node.name, network_.view(node).op_type(), {}, sources(node), elements));
  }

 private:
  bool lies_ready(const Tensor& tensor) const override { return tensor.constant; }

  static void connect(Layer& layer, std::int64_t input, std::int64_t weight) {
    set_source(operand_of(layer, "I"), input);
    set_source(operand_of(layer, "W"), weight);
    layer.source_order = {layer.operand_index("W"), layer.operand_index("I")};
  }

  /// The hinder of two inputs that are joined, if it is computed: it comes last.
  std::size_t input_of(const NetworkNode& node, const ProductOperand& operand) const {
    const auto joined = static_cast<std::size_t>(operand.joined_input);
    const bool waits_for_joined = operand.joined_input >= 0 && source(node, joined) != none;
    return waits_for_joined ? joined : static_cast<std::size_t>(operand.input);
  }

  std::vector<std::int64_t> sources(const NetworkNode& node) const {
    std::vector<std::int64_t> found;
    for (std::size_t input = 0; input < node.inputs.size(); ++input)
      if (const std::int64_t id = source(node, input); id != none) found.push_back(id);
    return found;
  }

  void set_all(const NetworkNode& node, std::int64_t id) {
    for (std::size_t output = 0; output < node.outputs.size(); ++output) set(node, output, id);
  }
};

/// Lengths of the data of an operand, as operators see them: groups and their channels are one axis.
Shape data_lengths(const Layer& layer, int operand) {
  const std::vector<std::string>& dimensions = layer.operands[static_cast<std::size_t>(operand)].dimensions;
  Shape lengths;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    std::int64_t length = layer.loop_size(dimensions[i]);
    for (const DimensionRelation& relation : layer.relations)
      if (relation.data == dimensions[i]) length = relation.size;
    const bool of_group =
        i > 0 && dimensions[i - 1] == "G" && (dimensions[i] == "K" || dimensions[i] == "C");
    if (of_group)
      lengths.back() *= length;
    else
      lengths.push_back(length);
  }
  return lengths;
}

/// Products of the lengths from the front on, without axes of length 1.
Shape partial_products(const Shape& lengths) {
  Shape products;
  for (auto end = lengths.begin(); end != lengths.end(); ++end)
    if (*end != 1) products.push_back(element_count(Shape(lengths.begin(), end + 1)));
  return products;
}

/// True when each axis of `merged` is one or several neighbouring axes of `shape`: the elements are in the
/// same order.
bool merges_neighbours(const Shape& merged, const Shape& shape) {
  const Shape few = partial_products(merged), all = partial_products(shape);
  return element_count(merged) == element_count(shape) &&
         std::includes(all.begin(), all.end(), few.begin(), few.end());
}

/// True for an operator that puts tensors one behind the other along an axis they all have.
bool joins_tensors(const OperatorNode& node) {
  return node.op_type() == "Concat" ||
         (node.op_type() == "ConcatFromSequence" && node.attributes().integer("new_axis", 0) == 0);
}

/// Exchanges the last two axes of `shape`.
ShapeChange transposition(Shape& shape) {
  ShapeChange change;
  change.kind = ShapeChange::Kind::transpose;
  change.from = shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    change.indices.push_back(static_cast<std::int64_t>(axis));
  std::swap(change.indices[shape.size() - 1], change.indices[shape.size() - 2]);
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return change;
}

class FlowOfElements : public DataFlow {
 public:
  FlowOfElements(const Network& network, WorkloadBuilder& made)
      : DataFlow(network, made), offchip_(network.tensors.size(), 0) {}

  void connect(NodeProducts& of_node, std::size_t i) override {
    Layer& layer = of_node.layers[i];
    const Product& product = of_node.products[i];
    const OperatorNode view = network_.view(of_node.node);
    const auto feed = [&](const char* name, const ProductOperand& operand) {
      set_source(operand_of(layer, name), product_source(of_node, view, operand, layer, name));
      if (operand.product < 0)
        set_offchip_part(layer, name, of_node.node, {operand.input, operand.joined_input});
    };
    feed("I", product.input);
    feed("W", product.weight);
    const bool is_first =
        std::all_of(of_node.ids.begin(), of_node.ids.end(), [](std::int64_t id) { return id == none; });
    if (is_first) {
      std::set<int> read;
      for (const Product& each : of_node.products)
        for (const ProductOperand* operand : {&each.input, &each.weight})
          read.insert({operand->input, operand->joined_input});
      add_further_sources(of_node.node, read, layer);
    }
    const int weight = layer.operand_index("W"), input = layer.operand_index("I");
    layer.source_order =
        product.weight_first ? std::vector<int>{input, weight} : std::vector<int>{weight, input};
  }

  /// The first output is that of the only layer that writes one, unless its elements lie in another order.
  void set_results(const NodeProducts& of_node) override {
    const NetworkNode& node = of_node.node;
    std::vector<std::int64_t> written;  // layers that write to outputs
    bool direct = false;
    for (std::size_t i = 0; i < of_node.products.size(); ++i) {
      if (of_node.ids[i] == none || of_node.products[i].output < 0) continue;
      written.push_back(of_node.ids[i]);
      direct = node.outputs[0] >= 0 && tensor(node.outputs[0]).has_full_shape() &&
               (of_node.products[i].output != 0 ||
                merges_neighbours(data_lengths(of_node.layers[i], 0), *tensor(node.outputs[0]).shape));
    }
    direct = direct && written.size() == 1;
    if (written.empty()) written = {made_.last_layer().id};
    std::int64_t other = none;
    for (std::size_t output = 0; output < node.outputs.size(); ++output) {
      if (node.outputs[output] < 0) continue;
      if (output == 0 && direct) {
        set(node, output, written[0]);
        continue;
      }
      if (other == none)
        other = add_any_element(node.name + "/result", network_.view(node).op_type(), written);
      set(node, output, other);
    }
  }

  void connect(const NetworkNode& node, VectorLayer& made) override {
    Layer& layer = made.layer;
    const OperatorNode view = network_.view(node);
    const auto feed = [&](const char* name, int input) {
      const int operand = layer.operand_index(name);
      std::int64_t from = input < 0 ? none : source(node, static_cast<std::size_t>(input));
      const bool in_order =
          from == none ||
          merges_neighbours(data_lengths(layer, operand), view.full_shape(static_cast<std::size_t>(input)));
      if (!in_order) from = add_any_element(fmt::format("{}/{}", node.name, name), view.op_type(), {from});
      set_source(operand_of(layer, name), from);
      set_offchip_part(layer, name, node, {input});
      layer.source_order.push_back(operand);
    };
    const bool data_first = is_pooling(view);
    if (data_first) feed("I", made.data_input);
    feed("W", made.weight_input);
    if (!data_first) feed("I", made.data_input);
    add_further_sources(node, {made.data_input, made.weight_input}, layer);
  }

  void set_results(const NetworkNode& node, std::int64_t layer) override {
    for (std::size_t output = 0; output < node.outputs.size(); ++output) set(node, output, layer);
  }

  void add_pass_through(const NetworkNode& node) override {
    const OperatorNode view = network_.view(node);
    const std::vector<bool> computed = carried(node);
    const bool carries = std::find(computed.begin(), computed.end(), true) != computed.end();
    bool one_is_made = false;
    for (std::size_t output = 0; output < node.outputs.size(); ++output) {
      const std::int64_t index = node.outputs[output];
      if (index < 0 || (one_is_made && !carries)) continue;
      const Tensor& result = tensor(index);
      const std::string name = one_is_made ? fmt::format("{}/{}", node.name, output) : node.name;
      const std::int64_t elements = result.has_full_shape() ? result.elements() : 0;
      one_is_made = true;
      if (!carries || result.is_known_before_run()) {
        made_.add_node(name, view.op_type(), {}, {}, elements);
        continue;
      }
      std::vector<std::int64_t> sources;
      ShapeChange change = change_by(node, view, output, sources);
      set(node, output,
          made_.add_node(name, view.op_type(), std::move(change), std::move(sources), elements));
      pass_offchip_on(node, output);
    }
    if (!one_is_made) made_.skip_id();
  }

 private:
  bool lies_ready(const Tensor& tensor) const override { return tensor.is_known_before_run(); }

  /// A pass-through node whose result may come from any element of its sources; the id.
  std::int64_t add_any_element(const std::string& name, const std::string& op_type,
                               std::vector<std::int64_t> sources) {
    return made_.add_node(name, op_type, any_element(), std::move(sources), 0);
  }

  // Operands.

  /// The source of an operand of a product; none for what lies off chip.
  std::int64_t product_source(const NodeProducts& of_node, const OperatorNode& view,
                              const ProductOperand& operand, const Layer& layer, const char* name) {
    const Shape wanted = data_lengths(layer, layer.operand_index(name));
    const std::string reading = fmt::format("{}/{}", layer.name, name);
    if (operand.product >= 0) {
      const auto product = static_cast<std::size_t>(operand.product);
      const std::int64_t from = of_node.ids[product];
      if (from == none || data_lengths(of_node.layers[product], 0) == wanted) return from;
      return add_any_element(reading, view.op_type(), {from});
    }
    const auto input = static_cast<std::size_t>(operand.input);
    std::int64_t from = source(of_node.node, input);
    if (operand.joined_input >= 0 || operand.joined_product >= 0) {
      std::vector<std::int64_t> all{from};
      all.push_back(operand.joined_product >= 0
                        ? of_node.ids[static_cast<std::size_t>(operand.joined_product)]
                        : source(of_node.node, static_cast<std::size_t>(operand.joined_input)));
      all.erase(std::remove(all.begin(), all.end(), none), all.end());
      return all.empty() ? none : add_any_element(reading, view.op_type(), std::move(all));
    }
    if (from == none) return from;
    Shape shape = view.full_shape(input);
    const bool transposed = view.attributes().integer(input == 0 ? "transA" : "transB", 0) != 0;
    if (transposed && shape.size() >= 2) {
      ShapeChange change = transposition(shape);
      from = made_.add_node(reading, view.op_type(), std::move(change), {from}, element_count(shape));
    }
    return merges_neighbours(wanted, shape) ? from : add_any_element(reading, view.op_type(), {from});
  }

  /// Further data that the node reads besides its operands (biases, masks, new keys) delay the operand I.
  void add_further_sources(const NetworkNode& node, const std::set<int>& read, Layer& layer) {
    std::vector<std::int64_t> further;
    for (std::size_t input = 0; input < node.inputs.size(); ++input) {
      const std::int64_t from = source(node, input);
      if (from != none && read.count(static_cast<int>(input)) == 0) further.push_back(from);
    }
    if (further.empty()) return;
    LayerOperand& operand = operand_of(layer, "I");
    if (operand.constant)
      operand.offchip_elements = element_count(data_lengths(layer, layer.operand_index("I")));
    operand.constant = false;
    operand.sources.push_back(add_any_element(layer.name + "/further", layer.type, std::move(further)));
  }

  // Elements off chip.

  /// `inputs`: those that the operand reads; -1 for one that is none.
  void set_offchip_part(Layer& layer, const char* name, const NetworkNode& node,
                        const std::vector<int>& inputs) const {
    LayerOperand& operand = operand_of(layer, name);
    if (operand.constant) return;
    const std::int64_t most = element_count(data_lengths(layer, layer.operand_index(name)));
    for (const int input : inputs)
      if (input >= 0)
        operand.offchip_elements += std::min(offchip_elements(node, static_cast<std::size_t>(input)),
                                             most - operand.offchip_elements);
  }

  /// Elements of an input that lie off chip from the start.
  std::int64_t offchip_elements(const NetworkNode& node, std::size_t input) const {
    const std::int64_t index = node.inputs[input];
    if (index < 0) return 0;
    if (source(node, input) != none) return offchip_[static_cast<std::size_t>(index)];
    return tensor(index).has_full_shape() ? tensor(index).elements() : 0;
  }

  /// An operator without cost passes elements that lie off chip on: one that joins tensors all of them,
  /// others those of one input.
  void pass_offchip_on(const NetworkNode& node, std::size_t output) {
    const bool joins = node.op_type == "Concat" || node.op_type == "ConcatFromSequence" ||
                       node.op_type == "com.microsoft:QLinearConcat";
    const bool writes_into = node.op_type.rfind("Scatter", 0) == 0 || node.op_type == "TensorScatter";
    std::int64_t elements = 0;
    for (std::size_t input = 0; input < node.inputs.size(); ++input) {
      if (writes_into && input > 0) break;
      if (source(node, input) == none && !joins && !writes_into) continue;
      const std::int64_t of_input = offchip_elements(node, input);
      elements = joins ? elements + of_input : std::max(elements, of_input);
    }
    const Tensor& result = tensor(node.outputs[output]);
    if (result.has_full_shape()) elements = std::min(elements, result.elements());
    offchip_[static_cast<std::size_t>(node.outputs[output])] = elements;
  }

  // Places of elements.

  /// Effect of the operator on the places of its data. Fills in the nodes whose data it reads, one for each
  /// input.
  ShapeChange change_by(const NetworkNode& node, const OperatorNode& view, std::size_t output,
                        std::vector<std::int64_t>& sources) {
    std::vector<std::size_t> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (source(node, i) != none) inputs.push_back(i);
    for (const std::size_t input : inputs) sources.push_back(source(node, input));
    if (joins_tensors(view)) return joined(node, view, inputs, sources);
    if (view.op_type() == "Resize" || view.op_type() == "Upsample")
      return {};  // along axes that keep their length, elements stay where they are
    if (works_element_by_element(view)) {
      repeat(view, output, inputs, sources);
      return {};
    }
    const bool alike = std::all_of(inputs.begin(), inputs.end(), [&](std::size_t input) {
      return view.shape(input) != nullptr && view.shape(0) != nullptr &&
             *view.shape(input) == *view.shape(0);
    });
    const ShapeChange change = element_places(view, output);
    const bool on_all = change.kind == ShapeChange::Kind::rows && alike;
    const bool of_first = inputs == std::vector<std::size_t>{0};
    return on_all || of_first ? change : any_element();
  }

  /// Puts a node before each input that is repeated to the shape of the result.
  void repeat(const OperatorNode& view, std::size_t output, const std::vector<std::size_t>& inputs,
              std::vector<std::int64_t>& sources) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Tensor &input = view.input(inputs[i]), &result = view.output(output);
      ShapeChange change = any_element();
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
    for (std::size_t i = 0; i < view.input_count(); ++i)
      if (!view.has_input(i) || !view.input(i).has_full_shape()) return any_element();
    if (!view.output(0).has_full_shape()) return any_element();
    ShapeChange change;
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
        if (written_shape(sources[next]) != part) {
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

  /// The shape in which a layer or pass-through node writes its data; empty when that is not known.
  Shape written_shape(std::int64_t id) const {
    const Workload& made = made_.so_far();
    for (auto layer = made.layers.rbegin(); layer != made.layers.rend(); ++layer)
      if ((*layer)->id == id) return data_lengths(**layer, 0);
    for (auto node = made.pass_through.rbegin(); node != made.pass_through.rend(); ++node)
      if (node->id == id)
        return node->shape_change.kind == ShapeChange::Kind::none && node->sources.size() == 1
                   ? written_shape(node->sources[0])
                   : node->shape_change.shape;
    return {};
  }

  std::vector<std::int64_t> offchip_;  // elements, by tensor that has a source
};

}  // namespace

std::unique_ptr<DataFlow> flow_of_tensors(const Network& network, WorkloadBuilder& made) {
  return std::make_unique<FlowOfTensors>(network, made);
}

std::unique_ptr<DataFlow> flow_of_elements(const Network& network, WorkloadBuilder& made) {
  return std::make_unique<FlowOfElements>(network, made);
}

}  // namespace zz::core::onnx_import
