#include "core/input/onnx/detail/node_layers.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/base/text.hpp"
#include "core/input/onnx/detail/element_places.hpp"
#include "core/input/onnx/detail/loop_nests.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"
#include "core/workload/element_nest.hpp"
#include "core/workload/layer_check.hpp"
#include "core/workload/layer_precision.hpp"

namespace zz::core::onnx_import {
namespace {

// Products of narrow numbers are summed up in words of 32 bits by nearly all hardware.
constexpr std::int64_t narrowest_sum = 32;

/// "O[b][k]".
std::string brackets(const char* operand, const std::vector<std::string>& dimensions) {
  std::string text = operand;
  for (const std::string& dimension : dimensions) text += "[" + lower_case(dimension) + "]";
  return text;
}

std::optional<std::int64_t> given_bits(const OperatorNode& node, const char* attribute) {
  if (node.attributes().find(attribute) == nullptr) return std::nullopt;
  const std::int64_t bits = node.attributes().integer(attribute, 0);
  if (bits < 0 || bits > widest_number)
    throw NodeProblem(fmt::format("the attribute '{}' is {}, expected are bits per element (0 to {})",
                                  attribute, bits, widest_number));
  return bits;
}

/// The tensor that the product writes. Exporters leave out results that nobody reads, such as all states of
/// a recurrent layer but the last; the others have the same type.
std::int64_t written_tensor(const NetworkNode& node, const Product& product) {
  const std::int64_t output = node.outputs.at(static_cast<std::size_t>(std::max(product.output, 0)));
  if (output >= 0) return output;
  for (const std::int64_t other : node.outputs)
    if (other >= 0) return other;
  throw NodeProblem("all its outputs are left out");
}

/// A quantised tensor has its bits in the file.
bool is_kept_as_float(const Tensor& tensor) {
  return is_wide_floating(tensor.stored) && tensor.stored_bits == bits_of(tensor.stored);
}

bool is_written_as_float(const Tensor& tensor, std::int64_t bits) {
  return is_wide_floating(tensor.type) && bits == bits_of(tensor.type);
}

/// The loop along which DequantizeLinear has the blocks of an input; "": they cannot be followed.
std::string loop_of_blocks(const OperatorNode& node, const ProductOperand& operand) {
  const int axis = node.input(static_cast<std::size_t>(operand.input)).stored_axis;
  return axis < 0 || axis >= static_cast<int>(operand.loop_of_axis.size())
             ? ""
             : operand.loop_of_axis[static_cast<std::size_t>(axis)];
}

/// By type, then by attributes.
OperandBits bits_of_operands(const Network& network, const NetworkNode& node, const Product& product,
                             const std::vector<std::int64_t>& written) {
  const OperatorNode view = network.view(node);
  const std::int64_t output = written_tensor(node, product);
  const auto stored = [&](const ProductOperand& operand) -> std::int64_t {
    if (operand.bits > 0) return operand.bits;
    // A result that only other products of the node read has the type of the node's result.
    const Tensor& tensor = operand.input >= 0 ? view.input(static_cast<std::size_t>(operand.input))
                                              : network.tensors[static_cast<std::size_t>(output)];
    if (tensor.stored_bits == 0)
      throw NodeProblem(fmt::format("the element type of tensor '{}' is unknown", tensor.name));
    return tensor.stored_bits;
  };
  const auto scale = [&](const ProductOperand& operand) -> BlockScale {
    if (operand.bits > 0 || operand.input < 0) return operand.scale;
    const Tensor& tensor = view.input(static_cast<std::size_t>(operand.input));
    BlockScale found = tensor.scale_of_channel ? BlockScale() : tensor.stored_scale;
    if (found.any()) found.along = loop_of_blocks(view, operand);
    return found.along.empty() ? BlockScale() : found;
  };
  OperandBits bits{stored(product.weight), stored(product.input), 0, 0, {}};
  bits.weight_scale = scale(product.weight);
  bits.input_scale = scale(product.input);
  bits.result = written[static_cast<std::size_t>(output)];
  bits.partial_sum = std::max(narrowest_sum, bits.result);
  bits.assumed = {"O"};
  const auto of_type = [&](const ProductOperand& operand) {
    return operand.bits <= 0 &&
           is_kept_as_float(operand.input >= 0 ? view.input(static_cast<std::size_t>(operand.input))
                                               : network.tensors[static_cast<std::size_t>(output)]);
  };
  if (of_type(product.weight)) bits.assumed.emplace_back("W");
  if (of_type(product.input)) bits.assumed.emplace_back("I");
  if (is_written_as_float(network.tensors[static_cast<std::size_t>(output)], bits.result))
    bits.assumed.emplace_back("O_final");
  return with_attributes(bits, view);
}

}  // namespace

OperandBits with_attributes(OperandBits bits, const OperatorNode& node) {
  if (const auto activation = given_bits(node, "act_size")) {
    bits.input = bits.result = *activation;
    bits.partial_sum = 2 * *activation;
    bits.input_scale = {};
    std::erase_if(bits.assumed, [](const std::string& operand) { return operand != "W"; });
  }
  if (const auto weight = given_bits(node, "weight_size")) {
    bits.weight = *weight;
    bits.weight_scale = {};
    std::erase(bits.assumed, "W");
  }
  if (const auto sum = given_bits(node, "output_size")) {
    bits.partial_sum = *sum;
    std::erase(bits.assumed, "O");
  }
  return bits;
}

Layer make_layer(const std::string& name, const std::string& type, const Product& product,
                 const OperandBits& bits) {
  Layer layer;
  layer.name = name;
  layer.type = type;
  layer.loops = product.loops;
  layer.relations = product.relations;
  LayerOperand output{"O", product.output_dimensions, bits.partial_sum, false, {}};
  LayerOperand weight{"W", product.weight.dimensions, bits.weight, false, {}};
  LayerOperand input{"I", product.input.dimensions, bits.input, false, {}};
  weight.scale = bits.weight_scale;
  input.scale = bits.input_scale;
  const std::string w = brackets("W", weight.dimensions), i = brackets("I", input.dimensions);
  layer.equation = fmt::format("{} = {} * {}", brackets("O", output.dimensions),
                               product.weight_first ? w : i, product.weight_first ? i : w);
  layer.operands = {std::move(output)};
  layer.operands.push_back(product.weight_first ? weight : input);
  layer.operands.push_back(product.weight_first ? input : weight);
  layer.final_output_precision = bits.result;
  layer.assumed_precision = bits.assumed;
  for (const LayerOperand& operand : layer.operands)
    if (operand.scale.any()) assume_scale(layer, operand.name);
  return layer;
}

void check_counts(const Layer& layer) {
  if (const std::string problem = count_problem(layer); !problem.empty())
    throw NodeProblem("it " + problem, "check the shapes of its tensors and its attributes");
}

std::vector<std::int64_t> written_bits(const Network& network) {
  std::vector<std::int64_t> bits(network.tensors.size());
  std::vector<bool> read_otherwise(network.tensors.size(), false);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = bits_of(network.tensors[i].type);
  for (const std::int64_t output : network.outputs) read_otherwise[static_cast<std::size_t>(output)] = true;
  std::vector<std::int64_t> quantised(network.tensors.size(), 0);
  for (const NetworkNode& node : network.nodes) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] < 0) continue;
      const auto tensor = static_cast<std::size_t>(node.inputs[i]);
      const bool rounded = i == 0 && node.known != nullptr && node.known->rounds && !node.outputs.empty() &&
                           node.outputs[0] >= 0;
      if (rounded)
        quantised[tensor] = network.tensors[static_cast<std::size_t>(node.outputs[0])].stored_bits;
      else
        read_otherwise[tensor] = true;
    }
  }
  for (std::size_t i = 0; i < bits.size(); ++i)
    if (quantised[i] > 0 && !read_otherwise[i]) bits[i] = quantised[i];
  return bits;
}

std::vector<std::string> blocks_not_followed(const Network& network, const NetworkNode& node,
                                             const Product& product) {
  const OperatorNode view = network.view(node);
  std::vector<std::string> tensors;
  for (const ProductOperand* operand : {&product.weight, &product.input}) {
    if (operand->bits > 0 || operand->input < 0) continue;
    const Tensor& tensor = view.input(static_cast<std::size_t>(operand->input));
    if (tensor.stored_scale.any() && !tensor.scale_of_channel && loop_of_blocks(view, *operand).empty())
      tensors.push_back(tensor.name);
  }
  return tensors;
}

Layer layer_of_product(const Network& network, const NetworkNode& node, const Product& product,
                       const std::vector<std::int64_t>& written, const OnnxSettings& settings) {
  Layer layer = make_layer(node.name + product.suffix, network.view(node).op_type(), product,
                           bits_of_operands(network, node, product, written));
  for (const auto& [operand, given] : settings.operand_precision) set_precision(layer, operand, given);
  check_counts(layer);
  return layer;
}

namespace {

constexpr std::size_t most_axes = 4;

std::int64_t set_bits(const OnnxSettings& settings, const char* operand, std::int64_t otherwise) {
  const auto found = settings.operand_precision.find(operand);
  return found == settings.operand_precision.end() ? otherwise : found->second.bits;
}

std::int64_t stored_bits(const OperatorNode& node, std::size_t input) {
  const Tensor& tensor = node.input(input);
  if (tensor.stored_bits == 0)
    throw NodeProblem(fmt::format("the element type of tensor '{}' is unknown", tensor.name));
  return tensor.stored_bits;
}

/// Notes which bits follow from types alone. `weight_input` is -1 when nothing is W.
void assume(Layer& layer, const OperatorNode& node, int data_input, int weight_input,
            std::int64_t result_bits, const OnnxSettings& settings) {
  const auto note = [&](const char* operand, bool assumed) {
    if (assumed && settings.operand_precision.count(operand) == 0)
      layer.assumed_precision.emplace_back(operand);
  };
  const auto is_float = [&](int input) {
    return input >= 0 && is_kept_as_float(node.input(static_cast<std::size_t>(input)));
  };
  const bool float_result = node.has_output(0) && is_written_as_float(node.output(0), result_bits);
  note("O", float_result);
  note("W", is_float(weight_input));
  note("I", is_float(data_input));
  note("O_final", float_result);
}

bool pools_everything(const OperatorNode& node) { return node.op_type().rfind("Global", 0) == 0; }

/// The loops that a tensor has an axis for; all others repeat it.
std::vector<std::string> dimensions_of(const Shape& shape, const Shape& result, const ElementNest& loops) {
  std::vector<std::string> dimensions;
  for (std::size_t loop = 0; loop < loops.names.size(); ++loop) {
    // Axes of the result behind the loop's last one.
    const std::size_t behind = loops.names.size() - 1 - loop;
    const std::size_t axes = loop == 0 ? result.size() - behind : 1;
    bool repeated = !result.empty();
    for (std::size_t i = 0; repeated && i < axes; ++i) {
      const std::size_t from_end = behind + i;
      const std::int64_t length = from_end < shape.size() ? shape[shape.size() - 1 - from_end] : 1;
      repeated = length == 1 && result[result.size() - 1 - from_end] != 1;
      if (length != 1) break;
    }
    if (!repeated) dimensions.push_back(loops.names[loop]);
  }
  return dimensions;
}

bool can_be_broadcast(const OperatorNode& node, std::size_t input, const Shape& result) {
  return broadcast_places(node.full_shape(input), result).kind != ShapeChange::Kind::all;
}

/// The inputs whose elements are worked on: those that layers compute, then tensors of more than a number.
std::vector<std::size_t> operands_of(const OperatorNode& node, const std::vector<bool>& carried,
                                     const Shape& result, bool of_one_shape) {
  std::vector<std::size_t> found;
  for (const bool wanted : {true, false}) {
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      if (!node.has_input(i) || carried[i] != wanted || !node.input(i).has_full_shape()) continue;
      if (of_one_shape ? node.full_shape(i) != node.full_shape(0)
                       : !can_be_broadcast(node, i, result) || (!wanted && node.input(i).elements() <= 1))
        continue;
      found.push_back(i);
    }
  }
  if (found.size() > 2) found.resize(2);
  std::sort(found.begin(), found.end());
  return found;
}

void set_operands(VectorLayer& made, const OperatorNode& node, const std::vector<std::string>& result,
                  const std::vector<std::string>& data, const std::vector<std::string>& weight,
                  std::int64_t result_bits, const OnnxSettings& settings) {
  Layer& layer = made.layer;
  layer.type = lower_case(node.op_type());
  const std::int64_t written = set_bits(settings, "O_final", result_bits);
  const std::int64_t weight_bits =
      made.weight_input < 0
          ? 0
          : set_bits(settings, "W", stored_bits(node, static_cast<std::size_t>(made.weight_input)));
  const std::int64_t data_bits =
      set_bits(settings, "I", stored_bits(node, static_cast<std::size_t>(made.data_input)));
  set_element_work(layer, {result, written}, {data, data_bits}, {weight, weight_bits});
  layer.operands[0].precision = set_bits(settings, "O", written);
  assume(layer, node, made.data_input, made.weight_input, result_bits, settings);
  check_counts(layer);
}

}  // namespace

bool is_pooling(const OperatorNode& node) {
  static const std::set<std::string> types = {
      "MaxPool",      "AveragePool",        "LpPool",     "GlobalMaxPool", "GlobalAveragePool",
      "GlobalLpPool", "QLinearAveragePool", "NhwcMaxPool"};
  return types.count(node.op_type()) != 0;
}

Layer pooling_layer(const OperatorNode& node, std::int64_t result_bits, const OnnxSettings& settings) {
  const Shape image = channels_first(node, node.full_shape(0));
  if (image.size() < 3 || image.size() > 5)
    throw NodeProblem(fmt::format(
        "its tensors have {} axes; pooling over one to three is supported (3 to 5 axes)", image.size()));
  const Shape output = channels_first(node, node.full_output_shape(0));
  const Shape lengths = spatial_lengths(image);
  std::vector<MovingWindow> windows;
  if (pools_everything(node))
    for (const std::int64_t length : lengths) windows.push_back({length, 1, 1, 0, 0});
  else
    windows = moving_windows(node, lengths, *node.attributes().integers("kernel_shape"));

  static constexpr std::array<const char*, 3> output_loops{"OX", "OY", "OZ"},
      filter_loops{"FX", "FY", "FZ"}, data_dimensions{"IX", "IY", "IZ"};
  Layer layer;
  layer.type = "pooling";
  layer.vector_work = true;
  layer.loops = {{"B", output[0]}, {"K", output[1]}};
  std::vector<LoopDimension> filter;
  std::vector<std::string> result, data, window_dimensions;
  const std::size_t axes = std::max<std::size_t>(2, lengths.size());
  for (std::size_t axis = 0; axis < axes; ++axis) {  // from the last one, the width
    const bool there = axis < lengths.size();
    const std::size_t place = there ? lengths.size() - 1 - axis : 0;
    const MovingWindow window = there ? windows[place] : MovingWindow{};
    layer.loops.push_back({output_loops[axis], there ? output[place + 2] : 1});
    filter.push_back({filter_loops[axis], window.kernel});
    layer.relations.push_back({data_dimensions[axis], window.stride, output_loops[axis], window.dilation,
                               filter_loops[axis], there ? lengths[place] : 1, window.padding_low,
                               window.padding_high, true});
    result.insert(result.begin(), output_loops[axis]);
    data.insert(data.begin(), data_dimensions[axis]);
    window_dimensions.insert(window_dimensions.begin(), filter_loops[axis]);
  }
  layer.loops.insert(layer.loops.end(), filter.begin(), filter.end());
  const auto with_channels = [&](std::vector<std::string>& dimensions) {
    dimensions.insert(dimensions.begin(), "B");
    dimensions.insert(has_channels_last(node) ? dimensions.end() : dimensions.begin() + 1, "K");
  };
  with_channels(result);
  with_channels(data);
  layer.equation = fmt::format("{} = {} * {}", brackets("O", result), brackets("W", window_dimensions),
                               brackets("I", data));
  const std::int64_t written = set_bits(settings, "O_final", result_bits);
  layer.operands = {{"O", result, written, false, {}},
                    {"W", window_dimensions, 0, false, {}},
                    {"I", data, set_bits(settings, "I", stored_bits(node, 0)), false, {}}};
  layer.final_output_precision = written;
  assume(layer, node, 0, -1, result_bits, settings);
  check_counts(layer);
  return layer;
}

bool is_sum_or_product_of_alike(const OperatorNode& node) {
  if (node.op_type() != "Add" && node.op_type() != "Mul") return false;
  const Shape *const a = node.shape(0), *const b = node.shape(1);
  return a != nullptr && b != nullptr && *a == *b && !a->empty() && a->size() <= most_axes &&
         node.input(0).has_full_shape();
}

std::optional<VectorLayer> vector_layer(const OperatorNode& node, const std::vector<bool>& carried,
                                        std::int64_t result_bits, const OnnxSettings& settings) {
  if (!node.has_output(0) || !node.output(0).has_full_shape() || node.output(0).elements() == 0 ||
      !node.has_input(0) || !node.input(0).has_full_shape() || node.input(0).elements() == 0)
    return std::nullopt;
  const Shape& result = node.full_output_shape(0);
  const bool by_element = works_element_by_element(node);
  const ShapeChange places = by_element ? ShapeChange{} : element_places(node, 0);
  if (!by_element && places.kind != ShapeChange::Kind::rows) return std::nullopt;
  VectorLayer made;
  if (!by_element && node.output(0).elements() != node.input(0).elements()) {
    const std::int64_t rows = node.output(0).elements(), length = node.input(0).elements() / rows;
    const Shape before(places.from.begin(), places.from.begin() + places.axis);
    if (element_count(before) != rows) return std::nullopt;
    made.layer.loops = {{"K", rows}, {"C", length}};
    set_operands(made, node, {"K"}, {"K", "C"}, {"K", "C"}, result_bits, settings);
    return made;
  }
  const std::vector<std::size_t> inputs = operands_of(node, carried, result, !by_element);
  if (inputs.empty()) return std::nullopt;
  made.data_input = static_cast<int>(inputs.back());
  if (inputs.size() == 2) {
    // An input that lies off chip is W, as weights are.
    if (carried[inputs[0]] && !carried[inputs[1]]) made.data_input = static_cast<int>(inputs[0]);
    made.weight_input = static_cast<int>(inputs[made.data_input == static_cast<int>(inputs[0]) ? 1 : 0]);
  }
  const ElementNest loops = element_nest(result);
  made.layer.loops = loops.loops();
  const auto dimensions = [&](int input) {
    return input < 0 ? loops.names
                     : dimensions_of(node.full_shape(static_cast<std::size_t>(input)), result, loops);
  };
  set_operands(made, node, loops.names, dimensions(made.data_input), dimensions(made.weight_input),
               result_bits, settings);
  return made;
}

}  // namespace zz::core::onnx_import
