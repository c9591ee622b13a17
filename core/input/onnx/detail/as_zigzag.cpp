#include "core/input/onnx/detail/as_zigzag.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <onnx/onnx_pb.h>
#include <utility>

#include "core/base/text.hpp"
#include "core/input/onnx/detail/loop_nests.hpp"
#include "core/input/onnx/detail/node_layers.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"

// An element has 8 bits, and 16 in a partial sum, unless the attributes `weight_size`, `act_size` and
// `output_size` of the node say otherwise.
namespace zz::core::onnx_import {
namespace {

// Shapes and layers of both.

/// The bits of ZigZag. Throws NodeProblem for attributes that are no number of bits.
OperandBits zigzag_bits(const OperatorNode& node) { return with_attributes({8, 8, 16, 8}, node); }

/// The full shape of a tensor; its first axis is 1 where it is unknown. Throws NodeProblem for any other
/// length that is unknown or 0.
Shape zigzag_shape(const Tensor& tensor) {
  const std::string because = tensor.unknown_because.empty() ? "" : ": " + tensor.unknown_because;
  const char* const hint =
      "give every input of the network a fixed shape, or add the shapes with "
      "onnx.shape_inference.infer_shapes";
  if (!tensor.shape)
    throw NodeProblem(fmt::format("the shape of tensor '{}' is unknown{}", tensor.name, because), hint);
  Shape shape = *tensor.shape;
  if (!shape.empty() && shape[0] <= 0) shape[0] = 1;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] <= 0)
      throw NodeProblem(
          fmt::format("the length of axis {} of tensor '{}' is unknown or zero{}", i, tensor.name, because),
          hint);
  return shape;
}

/// Elements of all outputs of a node; an unknown first axis counts 1, a tensor of unknown shape nothing.
std::int64_t zigzag_output_elements(const OperatorNode& node) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (!node.has_output(i) || !node.output(i).shape) continue;
    Shape shape = *node.output(i).shape;
    if (!shape.empty()) shape[0] = std::max<std::int64_t>(shape[0], 1);
    for (std::int64_t& length : shape) length = std::max<std::int64_t>(length, 0);
    const std::int64_t count = element_count(shape);
    sum = count > largest - sum ? largest : sum + count;
  }
  return sum;
}

/// The nodes that produce the inputs of a node, in their order; inputs that no node produces (weights,
/// inputs of the network) are left out.
std::vector<std::int64_t> predecessors_of(const Network& network, const NetworkNode& node) {
  std::vector<std::int64_t> predecessors;
  for (const std::int64_t input : node.inputs) {
    if (input < 0) continue;
    const std::int64_t producer = network.tensors[static_cast<std::size_t>(input)].producer;
    if (producer >= 0) predecessors.push_back(producer);
  }
  return predecessors;
}

std::int64_t divided_up(std::int64_t dividend, std::int64_t divisor) {
  return dividend / divisor + (dividend % divisor != 0);
}

Shape kernel_of(const OperatorNode& node, std::size_t spatial_axes) {
  if (const auto given = node.attributes().integers("kernel_shape")) return *given;
  const std::size_t weight = node.op_type() == "QLinearConv" ? 3 : 1;
  const Shape* const shape = node.shape(weight);
  if (shape == nullptr || shape->size() != spatial_axes + 2 || !node.input(weight).has_full_shape())
    throw NodeProblem("the attribute 'kernel_shape' is missing, and the shape of the weights is unknown",
                      "add the attribute 'kernel_shape'");
  return spatial_lengths(*shape);
}

Shape rows_and_columns(const OperatorNode& node) {
  Shape shape = zigzag_shape(node.input(0));
  if (node.attributes().integer("transA", 0) == 0) return shape;
  if (shape.size() != 2)
    throw NodeProblem(fmt::format("'transA' needs an input of 2 axes, it has {}", shape.size()));
  std::swap(shape[0], shape[1]);
  return shape;
}

void check_product_shapes(const Shape& input, const Shape& output) {
  if (input.size() != output.size())
    throw NodeProblem(fmt::format("its first input has {} axes and its output {}, expected are as many",
                                  input.size(), output.size()),
                      "reshape the operands so that the first input and the output have the same axes");
  if (input.size() < 2 || input.size() > 4)
    throw NodeProblem(fmt::format("its tensors have {} axes, supported are 2, 3 and 4", input.size()));
  for (std::size_t i = 0; i + 1 < input.size(); ++i)
    if (input[i] != output[i])
      throw NodeProblem(fmt::format("axis {} of its first input has length {} and of its output {}", i,
                                    input[i], output[i]),
                        "axes before the last must agree; broadcasting is not supported");
}

/// The windows of a convolution or pooling over an image of that shape; padding that is automatic is none.
/// Throws NodeProblem.
std::vector<MovingWindow> zigzag_windows(const OperatorNode& node, const Shape& image,
                                         const Shape& kernel) {
  std::vector<MovingWindow> windows = moving_windows(node, spatial_lengths(image), kernel);
  if (node.attributes().text("auto_pad", "NOTSET").rfind("SAME", 0) == 0)
    for (MovingWindow& window : windows) window.padding_low = window.padding_high = 0;
  return windows;
}

/// Throws NodeProblem unless images have one or two spatial axes, and as many before and after.
void check_image_shapes(const Shape& input, const Shape& output) {
  if (input.size() != output.size())
    throw NodeProblem(fmt::format("its input has {} axes and its output {}, expected are as many",
                                  input.size(), output.size()));
  if (input.size() != 3 && input.size() != 4)
    throw NodeProblem(fmt::format(
        "its tensors have {} axes; one- and two-dimensional images are supported (3 and 4 axes)",
        input.size()));
  if (input[0] != output[0])
    throw NodeProblem(fmt::format("the batch size of its input ({}) differs from its output's ({})",
                                  input[0], output[0]));
}

/// Conv and QLinearConv as the loop nest B, K, G, OX, OY, C, FX, FY. Channels follow from the shapes of
/// input and output. The first (height) value of kernel, strides, dilations and padding goes to X and the
/// second to Y. Throws NodeProblem.
Layer zigzag_convolution(const std::string& name, const OperatorNode& node) {
  const Shape input = zigzag_shape(node.input(0));
  auto windows = zigzag_windows(node, input, kernel_of(node, spatial_lengths(input).size()));
  const Shape output = zigzag_shape(node.output(0));
  check_image_shapes(input, output);
  std::reverse(windows.begin(), windows.end());
  const std::int64_t groups = node.attributes().integer("group", 1);
  if (groups < 1) throw below_smallest("group", groups, 1);
  const ChannelsOfGroups channels{groups, divided_up(output[1], groups), divided_up(input[1], groups)};
  Layer layer = make_layer(
      name, node.op_type(),
      convolution_nest(input[0], channels, spatial_lengths(input), spatial_lengths(output), windows),
      zigzag_bits(node));
  check_counts(layer);
  return layer;
}

/// Gemm and MatMul as the loop nest C, D, K (summed axis, rows, columns), with B for the batch axis of
/// tensors of three axes, and B and H for the two of four axes. Weights that are computed have batch axes
/// as well and the precision of activations. Throws NodeProblem.
Layer zigzag_product(const std::string& name, const OperatorNode& node, bool computed_weights) {
  const Shape input = rows_and_columns(node), output = zigzag_shape(node.output(0));
  check_product_shapes(input, output);
  OperandBits bits = zigzag_bits(node);
  if (computed_weights) bits.weight = bits.input;
  const Shape batch(input.begin(), input.end() - 2);
  const Product product = matrix_nest(batch, computed_weights ? batch : Shape(), *(input.end() - 2),
                                      input.back(), output.back());
  Layer layer = make_layer(name, node.op_type(), product, bits);
  check_counts(layer);
  return layer;
}

bool is_convolution(const std::string& type) { return type == "Conv" || type == "QLinearConv"; }

// ZigZag.

bool is_mapped(const std::string& type) {
  return is_convolution(type) || type == "MatMul" || type == "Gemm";
}

bool holds_mapped_operators(const onnx::GraphProto& graph) {
  return std::any_of(graph.node().begin(), graph.node().end(), [](const onnx::NodeProto& node) {
    return is_mapped(node.op_type()) ||
           std::any_of(node.attribute().begin(), node.attribute().end(), [](const auto& attribute) {
             return attribute.has_g() && holds_mapped_operators(attribute.g());
           });
  });
}

/// Without predecessors both inputs are constant; with one, W is; with two, the first feeds I and the
/// second W.
void connect(Layer& layer, const std::vector<std::int64_t>& predecessors) {
  LayerOperand& input = layer.operands[static_cast<std::size_t>(layer.operand_index("I"))];
  LayerOperand& weight = layer.operands[static_cast<std::size_t>(layer.operand_index("W"))];
  input.constant = predecessors.empty();
  weight.constant = predecessors.size() < 2;
  if (!predecessors.empty()) input.sources = {predecessors[0]};
  if (predecessors.size() == 2) weight.sources = {predecessors[1]};
  layer.source_order = {layer.operand_index("W"), layer.operand_index("I")};
}

class ZigzagWorkloadMaker {
 public:
  ZigzagWorkloadMaker(const Network& network, const OnnxReading& reading)
      : network_(network), reading_(reading), mapping_(reading.mapping) {}

  Workload make() {
    for (const NetworkNode& node : network_.nodes) {
      const std::vector<std::int64_t> predecessors = predecessors_of(network_, node);
      if (is_mapped(node.proto->op_type()))
        add_layer(node, predecessors);
      else
        add_pass_through(node, predecessors);
    }
    return made_.take();
  }

 private:
  void add_layer(const NetworkNode& node, const std::vector<std::int64_t>& predecessors) {
    try {
      if (predecessors.size() > 2)
        throw NodeProblem(
            fmt::format("{} of its inputs are produced by other nodes, at most 2 can be",
                        predecessors.size()),
            "fold nodes that compute constants (biases, scales) into initializers before exporting");
      const OperatorNode view = network_.view(node);
      Layer layer = is_convolution(view.op_type())
                        ? zigzag_convolution(node.name, view)
                        : zigzag_product(node.name, view, predecessors.size() == 2);
      connect(layer, predecessors);
      for (const auto& [operand, bits] : reading_.settings.operand_precision)
        set_precision(layer, operand, bits);
      layer.id = node.id;
      select_mapping(layer, mapping_, reading_.rules, reading_.mark, reading_.diagnostics);
      made_.add_edges(predecessors, node.id);
      made_.add_layer(std::move(layer));
    } catch (const NodeProblem& problem) {
      reading_.diagnostics.error(reading_.mark,
                                 fmt::format("node '{}' ({}): {}", node.name, node.op_type, problem.what()),
                                 problem.hint());
      made_.skip_id();
    }
  }

  void add_pass_through(const NetworkNode& node, std::vector<std::int64_t> sources) {
    for (const auto& attribute : node.proto->attribute())
      if (attribute.has_g() && holds_mapped_operators(attribute.g()))
        reading_.diagnostics.warning(
            reading_.mark,
            fmt::format("node '{}' ({}): the layers inside its {} are left out of the estimate", node.name,
                        node.op_type, attribute.name()));
    constexpr std::size_t most_recorded = 2;
    sources.resize(std::min(sources.size(), most_recorded));
    const OperatorNode view = network_.view(node);
    made_.add_node(node.name, view.op_type(), {}, std::move(sources), zigzag_output_elements(view));
  }

  const Network& network_;
  const OnnxReading& reading_;
  const MappingSelection mapping_;
  WorkloadBuilder made_;
};

// Stream.

/// A node of a network as Stream looks at it.
struct StreamNode {
  const NetworkNode& node;
  OperatorNode view;
  /// For each input, the id of the node that produces it; no_producer for weights and inputs of the
  /// network, which lie in the off-chip memory from the start, and for results of operators without inputs.
  std::vector<std::int64_t> producers;

  static constexpr std::int64_t no_producer = -1;

  const std::string& type() const { return view.op_type(); }
  std::int64_t producer(std::size_t input) const {
    return input < producers.size() ? producers[input] : no_producer;
  }
  /// The producers of all inputs that have one, in their order.
  std::vector<std::int64_t> predecessors() const {
    std::vector<std::int64_t> found;
    for (const std::int64_t id : producers)
      if (id != no_producer) found.push_back(id);
    return found;
  }
};

bool is_product(const std::string& type) { return type == "Gemm" || type == "MatMul"; }
bool is_pooling(const std::string& type) {
  return type == "MaxPool" || type == "AveragePool" || type == "GlobalMaxPool" ||
         type == "GlobalAveragePool";
}
bool is_simd(const std::string& type) { return type == "Add" || type == "Mul"; }
constexpr std::size_t most_simd_axes = 4;

/// Where the data of an operand come from.
struct OperandProducer {
  const char* operand;
  std::int64_t producer = StreamNode::no_producer;
};

/// Makes the operands constant or gives them their sources, and notes the order.
void connect(Layer& layer, const std::vector<OperandProducer>& operands) {
  for (const auto& [name, producer] : operands) {
    const int index = layer.operand_index(name);
    LayerOperand& operand = layer.operands[static_cast<std::size_t>(index)];
    operand.constant = producer == StreamNode::no_producer;
    if (!operand.constant) operand.sources = {producer};
    layer.source_order.push_back(index);
  }
}

/// Conv and QLinearConv: the loop nest of zigzag_convolution(), and 16, 8 and 8 bits whatever the node
/// says. Weights have no index of output channels when there are groups, and else none of groups. The
/// second input counts as the weights.
Layer conv_layer(const StreamNode& node) {
  Layer layer = zigzag_convolution(node.node.name, node.view);
  layer.type = "conv";
  const bool grouped = layer.loop_size("G") > 1;
  layer.equation =
      fmt::format("O[b][g][k][oy][ox] = W[{}][c][fy][fx] * I[b][g][c][iy][ix]", grouped ? "g" : "k");
  LayerOperand& weight = layer.operands[static_cast<std::size_t>(layer.operand_index("W"))];
  weight.dimensions = {grouped ? "G" : "K", "C", "FY", "FX"};
  weight.precision = 8;
  layer.operands[static_cast<std::size_t>(layer.operand_index("I"))].precision = 8;
  layer.operands[static_cast<std::size_t>(layer.operand_index("O"))].precision = 16;
  layer.final_output_precision = 8;
  connect(layer, {{"I", node.producer(0)}, {"W", node.producer(1)}});
  return layer;
}

/// Gemm and MatMul: the first input that a node produces is I and the second W.
Layer gemm_layer(const StreamNode& node) {
  const std::vector<std::int64_t> predecessors = node.predecessors();
  if (predecessors.size() > 2)
    throw NodeProblem(
        fmt::format("{} of its inputs are produced by other nodes, at most 2 can be", predecessors.size()));
  const bool computed_weights = predecessors.size() == 2;
  Layer layer = zigzag_product(node.node.name, node.view, computed_weights);
  layer.type = lower_case(node.type());
  connect(layer, {{"W", computed_weights ? predecessors[1] : StreamNode::no_producer},
                  {"I", predecessors.empty() ? StreamNode::no_producer : predecessors[0]}});
  return layer;
}

Shape pooling_kernel(const StreamNode& node, const Shape& input) {
  if (node.type().rfind("Global", 0) == 0) return spatial_lengths(input);
  if (const auto given = node.view.attributes().integers("kernel_shape")) return *given;
  throw NodeProblem("the attribute 'kernel_shape' is missing", "add the attribute 'kernel_shape'");
}

/// Largest, average and global pooling as the loop nest B, K, OX, OY, C, FX, FY with weights of no bits:
/// the height is X. No operand depends on the loop C over the channels.
Layer pooling_layer(const StreamNode& node) {
  const Shape input = zigzag_shape(node.view.input(0)), output = zigzag_shape(node.view.output(0));
  check_image_shapes(input, output);
  auto windows = zigzag_windows(node.view, input, pooling_kernel(node, input));
  Shape lengths = spatial_lengths(input), positions = spatial_lengths(output);
  std::reverse(windows.begin(), windows.end());
  std::reverse(lengths.begin(), lengths.end());
  std::reverse(positions.begin(), positions.end());
  Product product = convolution_nest(output[0], {1, output[1], input[1]}, lengths, positions, windows);
  product.loops.erase(product.loops.begin() + 2);  // G
  product.output_dimensions = {"B", "K", "OY", "OX"};
  product.weight.dimensions = {"FY", "FX"};
  product.input.dimensions = {"B", "K", "IY", "IX"};
  Layer layer = make_layer(fmt::format("Layer{}", node.node.id), "pooling", product, {0, 8, 8, 8});
  connect(layer, {{"I", node.producer(0)}, {"W", StreamNode::no_producer}});
  return layer;
}

/// Add and Mul of two tensors of one shape with 1 to 4 axes: OX; OX, OY; B, OX, OY; B, K, OX, OY, where X
/// is the axis before Y. W is the first input and I the second one; when one of them lies off chip it is W,
/// and when both do I is never fetched.
Layer simd_layer(const StreamNode& node) {
  const Shape output = zigzag_shape(node.view.output(0));
  if (output.empty() || output.size() > most_simd_axes)
    throw NodeProblem(
        fmt::format("its output has {} axes, supported are 1 to {}", output.size(), most_simd_axes));
  std::vector<std::string> loops = {"OX", "OY"};
  if (output.size() == 1) loops = {"OX"};
  if (output.size() >= 3) loops.insert(loops.begin(), "B");
  if (output.size() == 4) loops.insert(loops.begin() + 1, "K");
  Product product;
  product.weight_first = false;
  for (std::size_t axis = 0; axis < loops.size(); ++axis)
    product.loops.push_back({loops[axis], output[axis]});
  if (loops.size() >= 2) std::swap(loops[loops.size() - 2], loops[loops.size() - 1]);
  product.output_dimensions = product.weight.dimensions = product.input.dimensions = loops;
  Layer layer = make_layer(node.node.name, lower_case(node.type()), product, zigzag_bits(node.view));
  const std::vector<std::int64_t> sources = node.predecessors();
  if (sources.size() >= 2)
    connect(layer, {{"W", sources[0]}, {"I", sources[1]}});
  else if (sources.size() == 1)
    connect(layer, {{"W", StreamNode::no_producer}, {"I", sources[0]}});
  else
    connect(layer, {{"W", StreamNode::no_producer}});
  return layer;
}

/// True for the operators that run on a core: convolutions, matrix products, pooling, and additions and
/// multiplications of two tensors of one shape.
bool is_stream_layer(const StreamNode& node) {
  const std::string& type = node.type();
  if (is_convolution(type) || is_product(type) || is_pooling(type)) return true;
  if (!is_simd(type) || !node.view.has_input(0) || !node.view.has_input(1)) return false;
  const Tensor &first = node.view.input(0), &second = node.view.input(1);
  return first.has_full_shape() && first.shape == second.shape && !first.shape->empty() &&
         first.shape->size() <= most_simd_axes;
}

/// The layer of such a node, without mapping. Throws NodeProblem.
Layer make_stream_layer(const StreamNode& node) {
  const std::string& type = node.type();
  Layer layer = is_convolution(type) ? conv_layer(node)
                : is_product(type)   ? gemm_layer(node)
                : is_pooling(type)   ? pooling_layer(node)
                                     : simd_layer(node);
  layer.id = node.node.id;
  check_counts(layer);
  return layer;
}

/// The names under which a mapping file may mean the node, most specific first.
std::vector<std::string> mapping_names(const StreamNode& node) {
  if (is_product(node.type())) return {node.node.name, node.type()};
  return {fmt::format("Layer{}", node.node.id), is_convolution(node.type()) ? "conv" : node.type()};
}

std::int64_t checked_axis(const OperatorNode& node, std::int64_t otherwise, std::size_t axes,
                          std::size_t most) {
  const std::int64_t axis = node.attributes().integer("axis", otherwise);
  const std::int64_t counted = axis < 0 ? axis + static_cast<std::int64_t>(axes) : axis;
  if (counted >= 0 && counted <= static_cast<std::int64_t>(most)) return counted;
  throw NodeProblem(fmt::format("the attribute 'axis' is {}, but its input has {} axes", axis, axes));
}

ShapeChange flatten(const OperatorNode& node) {
  const std::size_t axes = zigzag_shape(node.input(0)).size();
  return {ShapeChange::Kind::flatten, {}, {}, checked_axis(node, 1, axes, axes)};
}

ShapeChange transpose(const OperatorNode& node) {
  const std::size_t axes = zigzag_shape(node.input(0)).size();
  auto permutation = node.attributes().integers("perm").value_or(Shape{});
  std::vector<bool> seen(axes, false);
  for (const std::int64_t axis : permutation) {
    if (axis < 0 || axis >= static_cast<std::int64_t>(axes) || seen[static_cast<std::size_t>(axis)] ||
        permutation.size() != axes)
      throw NodeProblem("the attribute 'perm' is no permutation of the axes of its input");
    seen[static_cast<std::size_t>(axis)] = true;
  }
  return {ShapeChange::Kind::transpose, {}, std::move(permutation), 0};
}

/// True for an initialiser or the result of a Constant: what the reference looks at.
bool lies_in_file(const Network& network, const Tensor& tensor) {
  return tensor.producer < 0 ||
         network.nodes[static_cast<std::size_t>(tensor.producer)].op_type == "Constant";
}

ShapeChange gather(const Network& network, const OperatorNode& node, std::vector<std::string>& doubts) {
  if (!node.has_input(1)) throw NodeProblem("its second input, the indices, is missing");
  const Shape input = zigzag_shape(node.input(0));
  if (input.empty()) throw NodeProblem("its input is a single number");
  ShapeChange change{ShapeChange::Kind::gather, zigzag_shape(node.output(0)), {0}, 0};
  change.axis = checked_axis(node, 0, input.size(), input.size() - 1);
  const std::int64_t length = input[static_cast<std::size_t>(change.axis)];
  const auto* const indices = lies_in_file(network, node.input(1)) ? node.integers(1) : nullptr;
  if (indices == nullptr) {
    doubts.push_back("which elements it takes is known only when the network runs: the first is assumed");
    return change;
  }
  change.indices = *indices;
  for (std::int64_t& index : change.indices) {
    if (index < 0) index += length;
    if (index < 0 || index >= length)
      throw NodeProblem(fmt::format("it takes element {} of an axis of {}", index, length));
  }
  return change;
}

ShapeChange concat(const StreamNode& node) {
  ShapeChange change{ShapeChange::Kind::concat, zigzag_shape(node.view.output(0)), {}, 0};
  const std::size_t axes = change.shape.size();
  if (axes == 0) throw NodeProblem("its result is a single number");
  change.axis = checked_axis(node.view, 0, axes, axes - 1);
  std::int64_t begin = 0;
  for (std::size_t input = 0; input < node.view.input_count(); ++input) {
    if (node.producer(input) != StreamNode::no_producer) change.indices.push_back(begin);
    const Shape part = zigzag_shape(node.view.input(input));
    if (part.size() != axes) throw NodeProblem("its inputs have different numbers of axes");
    begin += part[static_cast<std::size_t>(change.axis)];
  }
  return change;
}

/// Effect of a node without cost on the shape of its data; of kind none for all but Reshape, Squeeze,
/// Unsqueeze, Flatten, Transpose, Gather and Concat. Indices of a Gather that the file does not hold count
/// as 0, with a warning in `doubts`. Throws NodeProblem.
ShapeChange shape_change_of(const Network& network, const StreamNode& node,
                            std::vector<std::string>& doubts) {
  const std::string& type = node.type();
  if (node.view.input_count() == 0 || node.view.output_count() == 0) return {};
  if (type == "Reshape" || type == "Squeeze" || type == "Unsqueeze")
    return {ShapeChange::Kind::reshape, zigzag_shape(node.view.output(0)), {}, 0};
  if (type == "Flatten") return flatten(node.view);
  if (type == "Transpose") return transpose(node.view);
  if (type == "Gather") return gather(network, node.view, doubts);
  if (type == "Concat") return concat(node);
  return {};
}

/// The workload that Stream makes of a network.
class StreamWorkloadMaker {
 public:
  StreamWorkloadMaker(const Network& network, const OnnxReading& reading)
      : network_(network), reading_(reading), mapping_(reading.mapping) {}

  Workload make() {
    for (const NetworkNode& node : network_.nodes) {
      const StreamNode placed{node, network_.view(node), producers_of(node)};
      try {
        if (node.inputs.empty())
          made_.skip_id();
        else if (is_stream_layer(placed))
          add_layer(placed);
        else
          add_pass_through(placed);
      } catch (const NodeProblem& problem) {
        reading_.diagnostics.error(
            reading_.mark, fmt::format("node '{}' ({}): {}", node.name, node.op_type, problem.what()),
            problem.hint());
        made_.skip_id();
      }
    }
    return made_.take();
  }

 private:
  std::vector<std::int64_t> producers_of(const NetworkNode& node) const {
    std::vector<std::int64_t> producers;
    for (const std::int64_t input : node.inputs) {
      const std::int64_t producer =
          input < 0 ? -1 : network_.tensors[static_cast<std::size_t>(input)].producer;
      const bool counts =
          producer >= 0 && !network_.nodes[static_cast<std::size_t>(producer)].inputs.empty();
      producers.push_back(counts ? producer : StreamNode::no_producer);
    }
    return producers;
  }

  void add_layer(const StreamNode& node) {
    Layer layer = make_stream_layer(node);
    select_mapping(layer, mapping_, mapping_names(node), reading_.rules, reading_.mark,
                   reading_.diagnostics);
    made_.add_layer(std::move(layer));
  }

  void add_pass_through(const StreamNode& node) {
    std::vector<std::int64_t> sources = node.predecessors();
    ShapeChange change;
    // Shapes of data that no layer feeds do not matter and may be unknown.
    if (!sources.empty()) {
      std::vector<std::string> doubts;
      change = shape_change_of(network_, node, doubts);
      for (const std::string& doubt : doubts)
        reading_.diagnostics.warning(
            reading_.mark, fmt::format("node '{}' ({}): {}", node.node.name, node.node.op_type, doubt));
    }
    constexpr std::size_t most_recorded = 2;
    if (change.kind == ShapeChange::Kind::none) sources.resize(std::min(sources.size(), most_recorded));
    made_.add_node(node.node.name, node.type(), std::move(change), std::move(sources),
                   zigzag_output_elements(node.view));
  }

  const Network& network_;
  const OnnxReading& reading_;
  const MappingSelection mapping_;
  WorkloadBuilder made_;
};

}  // namespace

Workload zigzag_workload_of(const Network& network, const OnnxReading& reading) {
  return ZigzagWorkloadMaker(network, reading).make();
}

Workload stream_workload_of(const Network& network, const OnnxReading& reading) {
  return StreamWorkloadMaker(network, reading).make();
}

}  // namespace zz::core::onnx_import
