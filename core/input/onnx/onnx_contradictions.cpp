#include "core/input/onnx/onnx_contradictions.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <onnx/onnx_pb.h>
#include <string>
#include <string_view>

#include "core/input/onnx/onnx_window.hpp"

namespace zz::core::onnx_import {
namespace {

constexpr std::size_t most_messages = 3;
constexpr std::int64_t longest_axis = std::int64_t{1} << 30;  // products of two stay in range

bool keeps_the_shape(const std::string& type) {
  constexpr std::string_view types =
      " Abs BatchNormalization Cast Clip Dropout Elu Erf Exp Gelu HardSigmoid HardSwish Identity "
      "InstanceNormalization LRN LayerNormalization LeakyRelu Log LogSoftmax Mish Neg Relu Selu Sigmoid "
      "Softmax Sqrt Tanh ";
  return types.find(' ' + type + ' ') != std::string_view::npos;
}

std::int64_t quotient_up(std::int64_t dividend, std::int64_t divisor) {
  return dividend / divisor + (dividend % divisor != 0);
}

bool is_usual(std::initializer_list<std::int64_t> lengths) {
  return std::all_of(lengths.begin(), lengths.end(),
                     [](std::int64_t length) { return length <= longest_axis; });
}

/// Positions of the window along one axis, as the operator set defines them; what is stated where numbers
/// are beyond all reason.
std::int64_t window_positions(const onnx::NodeProto& node, const WindowAxis& axis) {
  if (!is_usual({axis.input, axis.kernel, axis.stride, axis.dilation, axis.padding_low, axis.padding_high}))
    return axis.output;
  const onnx::AttributeProto* mode = find_attribute(node, "auto_pad");
  const std::string_view padding = mode == nullptr ? std::string_view() : std::string_view(mode->s());
  if (padding == "SAME_UPPER" || padding == "SAME_LOWER") return quotient_up(axis.input, axis.stride);
  const std::int64_t padded =
      padding == "VALID" ? axis.input : axis.input + axis.padding_low + axis.padding_high;
  const std::int64_t reach = axis.dilation * (axis.kernel - 1) + 1;
  if (padded < reach) return 0;
  if (integer_attribute(node, "ceil_mode", 0) == 0) return (padded - reach) / axis.stride + 1;
  // A last window that would begin in the padding at the end is left out by newer operator sets; either
  // number is one that exporters write.
  const std::int64_t positions = quotient_up(padded - reach, axis.stride) + 1;
  const bool begins_outside = (positions - 1) * axis.stride >= axis.input + axis.padding_low;
  return begins_outside && axis.output == positions - 1 ? positions - 1 : positions;
}

std::string text_of(const Shape& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

class Contradictions {
 public:
  explicit Contradictions(const TensorShapes& shapes) : shapes_(shapes) {}

  void look_at(const GraphNode& node) {
    const std::string& type = node.proto->op_type();
    try {
      if (type == "Conv" || type == "QLinearConv") check_windows(node, true);
      if (type == "MaxPool" || type == "AveragePool" || type == "LpPool") check_windows(node, false);
      if (type == "MatMul" || type == "Gemm") check_product(node);
      if (keeps_the_shape(type)) check_unchanged(node);
    } catch (const NodeProblem&) {
      return;
    }
  }

  /// One message a contradiction.
  const std::vector<std::string>& found() const { return found_; }

 private:
  const Shape* shape_of_input(const GraphNode& node, int index) const {
    return node.proto->input_size() > index ? shapes_.find(node.proto->input(index)) : nullptr;
  }
  const Shape* shape_of_output(const GraphNode& node) const {
    return node.proto->output_size() > 0 ? shapes_.find(node.proto->output(0)) : nullptr;
  }

  void check_windows(const GraphNode& node, bool has_weights) {
    const int weight_index = node.proto->op_type() == "QLinearConv" ? 3 : 1;
    const Shape* const input = shape_of_input(node, 0);
    const Shape* const weight = has_weights ? shape_of_input(node, weight_index) : nullptr;
    const Shape* const output = shape_of_output(node);
    if (input == nullptr || output == nullptr || input->size() != output->size() ||
        input->size() <= leading_axes)
      return;
    const std::size_t spatial = input->size() - leading_axes;
    auto kernel = given_kernel_shape(*node.proto, spatial);
    if (!kernel) {
      if (weight == nullptr || weight->size() != spatial + leading_axes) return;
      kernel = Shape(weight->begin() + leading_axes, weight->end());
    }
    const Windows windows(*node.proto, *input, *output, *kernel);
    Shape expected = has_weights ? *output : *input;
    for (std::size_t i = 0; i < spatial; ++i)
      expected[leading_axes + i] = window_positions(*node.proto, windows.axis(i));
    if (*output != expected)
      add(node, "output", node.proto->output(0), *output, expected,
          fmt::format("its input, which is {}, and its attributes", text_of(*input)));
    if (weight == nullptr) return;
    const std::int64_t group = std::max<std::int64_t>(integer_attribute(*node.proto, "group", 1), 1);
    Shape between = {(*output)[1], quotient_up((*input)[1], group)};
    between.insert(between.end(), kernel->begin(), kernel->end());
    if (*weight == between) return;
    add(node, "weight", node.proto->input(weight_index), *weight, between,
        fmt::format("its input ({}), its output ({}) and its attributes", text_of(*input),
                    text_of(*output)));
  }

  void check_product(const GraphNode& node) {
    const Shape* const input = shape_of_input(node, 0);
    const Shape* const weight = shape_of_input(node, 1);
    const Shape* const output = shape_of_output(node);
    if (input == nullptr || weight == nullptr || output == nullptr || input->size() < 2 ||
        weight->size() < 2 || output->size() < 2)
      return;
    const bool is_gemm = node.proto->op_type() == "Gemm";
    const bool input_transposed = is_gemm && integer_attribute(*node.proto, "transA", 0) != 0;
    const bool weight_transposed = is_gemm && integer_attribute(*node.proto, "transB", 0) != 0;
    const std::int64_t rows = (*input)[input->size() - (input_transposed ? 2 : 1)];
    const std::int64_t columns = output->back();
    Shape expected = *weight;
    expected[expected.size() - 2] = weight_transposed ? columns : rows;
    expected.back() = weight_transposed ? rows : columns;
    if (*weight == expected) return;
    add(node, "second input", node.proto->input(1), *weight, expected,
        fmt::format("its first input ({}) and its output ({})", text_of(*input), text_of(*output)));
  }

  void check_unchanged(const GraphNode& node) {
    const Shape* const input = shape_of_input(node, 0);
    const Shape* const output = shape_of_output(node);
    if (input == nullptr || output == nullptr || *input == *output) return;
    add(node, "output", node.proto->output(0), *output, *input, "its input, whose shape it keeps");
  }

  void add(const GraphNode& node, const char* role, const std::string& tensor, const Shape& stated,
           const Shape& expected, const std::string& from) {
    const bool is_output = role == std::string_view("output");
    found_.push_back(
        fmt::format("node '{}' ({}): its {} '{}' is stated to be {}, but {} follows from {}; {} counts, as "
                    "in ZigZag and Stream",
                    node.name, node.proto->op_type(), role, tensor, text_of(stated), text_of(expected),
                    from, is_output ? "what is stated" : "the latter"));
  }

  const TensorShapes& shapes_;
  std::vector<std::string> found_;
};

}  // namespace

void warn_of_contradictions(const std::vector<GraphNode>& nodes, const TensorShapes& shapes,
                            const SourceMark& mark, Diagnostics& diagnostics) {
  Contradictions contradictions(shapes);
  for (const GraphNode& node : nodes) contradictions.look_at(node);
  const std::vector<std::string>& found = contradictions.found();
  for (std::size_t i = 0; i < std::min(found.size(), most_messages); ++i)
    diagnostics.warning(mark, found[i]);
  if (found.size() <= most_messages) return;
  const std::size_t others = found.size() - most_messages;
  diagnostics.warning(mark, others == 1
                                ? std::string("one more shape contradicts that of other tensors")
                                : fmt::format("{} more shapes contradict those of other tensors", others));
}

}  // namespace zz::core::onnx_import
