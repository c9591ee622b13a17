#include "core/input/onnx/detail/result_completion.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <onnx/onnx_pb.h>
#include <string>
#include <string_view>
#include <vector>

#include "core/input/onnx/detail/element_places.hpp"
#include "core/input/onnx/detail/element_walk.hpp"
#include "core/input/onnx/detail/handed_on.hpp"

namespace zz::core::onnx_import {

StatedShapes::StatedShapes(const onnx::GraphProto& graph, bool count) : count_(count) {
  for (const auto& value : graph.output()) stated_.emplace(value.name(), &value);
  for (const auto& value : graph.value_info()) stated_.emplace(value.name(), &value);
}

void StatedShapes::fill_in(Tensor& tensor,
                           const std::function<std::int64_t(const std::string&)>& given) const {
  const auto stated = stated_.find(tensor.name);
  if (stated == stated_.end()) return;
  const auto& type = stated->second->type().tensor_type();
  if (tensor.type == ElementType::unknown) tensor.type = element_type(type.elem_type());
  if (!type.has_shape()) return;
  const auto axes = static_cast<std::size_t>(type.shape().dim_size());
  if (!tensor.shape) tensor.shape = Shape(axes, unknown_length);
  if (tensor.shape->size() != axes) return;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    std::int64_t& length = (*tensor.shape)[axis];
    const auto& stated_length = type.shape().dim(static_cast<int>(axis));
    if (length == unknown_length && stated_length.dim_value() > 0) length = stated_length.dim_value();
    if (length == unknown_length) length = given(stated_length.dim_param());
  }
}

void StatedShapes::prefer(Tensor& tensor) {
  const auto stated = stated_.find(tensor.name);
  if (stated == stated_.end() || !stated->second->type().tensor_type().has_shape()) return;
  const auto& axes = stated->second->type().tensor_type().shape().dim();
  Shape shape(static_cast<std::size_t>(axes.size()), unknown_length);
  if (tensor.shape && tensor.shape->size() == shape.size()) shape = *tensor.shape;
  for (int axis = 0; axis < axes.size(); ++axis)
    if (axes[axis].dim_value() > 0) shape[static_cast<std::size_t>(axis)] = axes[axis].dim_value();
  if (shape != tensor.shape) tensor.values = nullptr;
  tensor.shape = std::move(shape);
}

// A file may carry shapes of other sizes than it has now, or of a tool that was wrong.
void StatedShapes::compare(const Tensor& tensor) {
  const auto stated = stated_.find(tensor.name);
  if (stated == stated_.end() || !stated->second->type().tensor_type().has_shape()) return;
  Shape shape;
  for (const auto& axis : stated->second->type().tensor_type().shape().dim()) {
    if (!axis.has_dim_value()) return;
    shape.push_back(axis.dim_value());
  }
  if (shape == *tensor.shape) return;
  note(fmt::format("'{}' ({} instead of {})", tensor.name, fmt::join(shape, "x"),
                   fmt::join(*tensor.shape, "x")));
}

void StatedShapes::warn(const SourceMark& mark, Diagnostics& diagnostics) const {
  if (contradictions_.empty()) return;
  constexpr std::size_t most_named = 3;
  const std::size_t named = std::min(most_named, contradictions_.size());
  const auto end = contradictions_.begin() + static_cast<std::ptrdiff_t>(named);
  const std::size_t others = contradictions_.size() - named;
  diagnostics.warning(mark,
                      fmt::format("the file states other shapes than follow from its operators{}: {}{}",
                                  count_ ? "; they count, as in ZigZag and Stream" : ", which count",
                                  fmt::join(contradictions_.begin(), end, ", "),
                                  others > 0 ? fmt::format(" and {} more", others) : ""),
                      "the file was changed after its shapes were inferred, or its exporter was wrong");
}

namespace {

/// The one constant that arithmetic with smaller ones, which may be repeated, scales or shifts, as
/// DequantizeLinear does; else null.
const Tensor* dequantised(const OperatorNode& node, const Operator& known) {
  if (known.name == "Neg") return node.input(0).constant ? &node.input(0) : nullptr;
  if (known.name != "Mul" && known.name != "Div" && known.name != "Sub" && known.name != "Add")
    return nullptr;
  if (node.input_count() != 2 || !node.has_input(0) || !node.has_input(1)) return nullptr;
  const Tensor &a = node.input(0), &b = node.input(1);
  if (!a.constant || !b.constant || !a.has_full_shape() || !b.has_full_shape()) return nullptr;
  if (a.elements() != b.elements()) return a.elements() > b.elements() ? &a : &b;
  if (a.different() == b.different()) return nullptr;
  return a.different() > b.different() ? &a : &b;
}

/// The tensor as which the result of a node lies in memory, or null where it lies there as its type says:
/// DequantizeLinear happens on the way to the array, as does widening a constant, and a rearrangement or a
/// choice of elements changes nothing.
const Tensor* stored_like(const OperatorNode& node, const Operator* known) {
  if (known == nullptr || node.input_count() == 0 || !node.has_input(0)) return nullptr;
  const Tensor& first = node.input(0);
  if (known->name == "DequantizeLinear") return &first;
  const auto is_narrower = [](const Tensor& tensor) {
    return tensor.stored != tensor.type || tensor.stored_bits != bits_of(tensor.type);
  };
  const bool casts = known->name == "Cast" || known->name == "CastLike";
  // From one floating-point type to another: the same few numbers, as far as the type has them.
  if (casts && is_narrower(first) && is_floating(first.type) && is_floating(node.output(0).type))
    return &first;
  if (casts || known->name == "QuantizeLinear")
    return first.constant && (is_narrower(first) || bits_of(first.type) < bits_of(node.output(0).type))
               ? &first
               : nullptr;
  if (const Tensor* const whole = dequantised(node, *known)) return is_narrower(*whole) ? whole : nullptr;
  const Tensor* widest = nullptr;
  for (const std::size_t i : inputs_handed_on(node, *known))
    if (widest == nullptr || widest->stored_bits < node.input(i).stored_bits) widest = &node.input(i);
  return widest != nullptr && is_narrower(*widest) ? widest : nullptr;
}

/// The axis along which DequantizeLinear has its scales. -1: the tensor has no such axis, of which the
/// operator's own check tells.
int axis_of_scales(const OperatorNode& node, const Tensor& quantised) {
  if (!quantised.shape) return -1;
  try {
    return static_cast<int>(axis_from_front(node.attributes().integer("axis", 1), quantised.shape->size()));
  } catch (const NodeProblem&) {
    return -1;
  }
}

/// The axis into which a reshape turns the one along which blocks lie: elements follow each other there at
/// the same distance, in rows of whole blocks. -1: there is none.
int axis_behind_reshape(const Tensor& like, const Shape& to) {
  const Shape& from = *like.shape;
  const auto axis = static_cast<std::size_t>(like.stored_axis);
  if (!like.has_full_shape() || std::find(to.begin(), to.end(), unknown_length) != to.end()) return -1;
  const std::int64_t every = like.stored_scale.every, distance = row_major_strides(from)[axis];
  const std::vector<std::int64_t> strides = row_major_strides(to);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const bool whole = from[axis] == to[i] || (from[axis] % every == 0 && to[i] % every == 0);
    if (to[i] > 1 && strides[i] == distance) return whole ? static_cast<int>(i) : -1;
  }
  return -1;
}

/// The axis of `like` along which blocks lie, in the result of the node: where each element stays in its
/// place, or all are rearranged in a way that keeps blocks. What chooses elements may take a block apart.
int axis_behind(const OperatorNode& node, const Tensor& like, const Tensor& result) {
  if (like.stored_axis < 0 || !like.shape || !result.shape) return -1;
  // A shape that the file states may have other axes than follow from its operators.
  if (like.stored_axis >= static_cast<int>(like.shape->size())) return -1;
  const std::string& type = node.op_type();
  if (type == "Transpose") {
    const auto axes = static_cast<int>(like.shape->size());
    const auto order = node.attributes().integers("perm");
    if (result.shape->size() != like.shape->size()) return -1;
    if (order && order->size() != like.shape->size()) return -1;
    for (int axis = 0; axis < axes; ++axis)
      if ((order ? (*order)[static_cast<std::size_t>(axis)] : axes - 1 - axis) == like.stored_axis)
        return axis;
    return -1;
  }
  if (type == "Reshape" || type == "Flatten" || type == "Squeeze" || type == "Unsqueeze")
    return axis_behind_reshape(like, *result.shape);
  return works_element_by_element(node) && *like.shape == *result.shape ? like.stored_axis : -1;
}

/// The rows of a weight that have a scale each, by QONNX or DequantizeLinear without blocks: the elements
/// along one axis share it. They are channels, until a reshape puts several of them into one row.
struct ScaledRows {
  BlockScale scale = {};
  int axis = -1;
};
ScaledRows scaled_rows(const OperatorNode& node, std::int64_t element_bits) {
  const std::string& type = node.op_type();
  const bool along_axis = type == "DequantizeLinear" && node.attributes().integer("block_size", 0) <= 0;
  if (!along_axis && type != "Quant" && type != "IntQuant") return {};
  if (!node.has_input(0) || !node.has_input(1)) return {};
  const Tensor &weight = node.input(0), &scales = node.input(1);
  if (!weight.constant || !weight.has_full_shape() || !scales.has_full_shape()) return {};
  const Shape& all = *weight.shape;
  Shape own = *scales.shape;
  if (weight.elements() == 0 || scales.elements() <= 1 || own.size() > all.size()) return {};
  if (along_axis) {
    const int axis = axis_of_scales(node, weight);
    if (axis < 0) return {};
    own = Shape(all.size(), 1);
    own[static_cast<std::size_t>(axis)] = scales.elements();
  }
  ScaledRows rows;
  for (std::size_t axis = 0; axis < all.size(); ++axis) {
    const std::size_t missing = all.size() - own.size();
    const std::int64_t different = axis >= missing ? own[axis - missing] : 1;
    if (different == all[axis]) continue;
    if (rows.axis >= 0 || different != 1) return {};  // rows are those of several axes, or do not fit
    rows = {{bits_of(scales.type), all[axis], ""}, static_cast<int>(axis)};
  }
  // A zero point of the whole tensor is beside no row, and a file of symmetric numbers may write zeros.
  if (rows.axis < 0 || !node.has_input(2) || !node.input(2).has_full_shape()) return rows;
  const auto* const zeros = node.numbers(2);
  const bool none =
      zeros != nullptr && std::all_of(zeros->begin(), zeros->end(), [](double zero) { return zero == 0; });
  if (node.input(2).elements() > 1 && !none) rows.scale.bits += element_bits;
  return rows;
}

/// False for what draws numbers at random, and for an operator of which nobody knows what it does.
bool is_determined_by_inputs(const NetworkNode& node) {
  if (node.known == nullptr) return node.answer != nullptr && !node.inputs.empty();
  return !node.known->name.starts_with("Random") && node.known->name != "Bernoulli" &&
         node.known->name != "Multinomial";
}

/// Its elements may be lengths, which nobody knows yet.
bool may_count(const Tensor& tensor) {
  constexpr std::int64_t most_lengths = 64;
  return tensor.values == nullptr && is_integral(tensor.type) && tensor.elements() <= most_lengths;
}

}  // namespace

void ResultCompletion::complete(const NetworkNode& node) const {
  bool constant = true, of_file = is_determined_by_inputs(node);
  std::string reason;
  std::shared_ptr<const UnknownLengths> from;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] < 0) continue;
    const Tensor& tensor = network_.tensors[static_cast<std::size_t>(node.inputs[i])];
    const bool tells_type = i == 1 && node.known != nullptr && node.known->name == "CastLike";
    constant = constant && (tells_type || tensor.constant || tensor.values != nullptr);
    of_file = of_file && (tells_type || tensor.of_file);
    if (reason.empty() && !tensor.has_full_shape()) reason = tensor.unknown_because;
    if (from == nullptr) from = unknown_lengths_of(tensor);
  }
  const Tensor* const like = stored_like(network_.view(node), node.known);
  const std::int64_t parts =
      of_file && node.known != nullptr ? bits_of_parts(network_.view(node), *node.known) : 0;
  for (const std::int64_t output : node.outputs) {
    if (output < 0) continue;
    Tensor& tensor = network_.tensors[static_cast<std::size_t>(output)];
    if (tensor.has_full_shape()) stated_.compare(tensor);
    if (stated_count_) stated_.prefer(tensor);
    tensor.constant = constant || tensor.values != nullptr;
    tensor.of_file = of_file;
    if (!tensor.has_full_shape()) fill_in_lengths(tensor);
    if (tensor.constant && output == node.outputs.front() && node.known != nullptr &&
        tensor.has_full_shape())
      if (const std::int64_t different = different_elements(network_.view(node), *node.known);
          different < tensor.elements())
        tensor.repeated = different;
    if (tensor.has_full_shape())
      tensor.unknown_because.clear();
    else if (tensor.unknown_because.empty())
      tensor.unknown_because = reason;
    if (tensor.has_full_shape() ? may_count(tensor) : from != nullptr)
      tensor.unknown_from = from;
    else
      tensor.unknown_from = unknown_lengths_of(tensor);
    // Indices and masks beside the elements are of another type.
    const bool stored_alike =
        like != nullptr && (output == node.outputs.front() || tensor.type == like->type);
    tensor.stored = stored_alike ? like->stored : tensor.type;
    if (stored_alike) {
      tensor.stored_scale = like->stored_scale;
      tensor.stored_axis = axis_behind(network_.view(node), *like, tensor);
      tensor.scale_of_channel =
          like->scale_of_channel &&
          (tensor.stored_axis < 0 ||
           (*tensor.shape)[static_cast<std::size_t>(tensor.stored_axis)] <= tensor.stored_scale.every);
    }
    if (stored_alike && node.known->name == "DequantizeLinear")
      if (const BlockScale scale = scale_of_blocks(network_.view(node), 1, 2, like->stored_bits);
          scale.any()) {
        tensor.stored_scale = scale;
        tensor.stored_axis = axis_of_scales(network_.view(node), *like);
        tensor.scale_of_channel = false;
      }
    if (stored_alike)
      tensor.stored_bits = like->stored_bits;
    else if (parts > 0)
      tensor.stored_bits = parts;
    else if (tensor.stored_bits == 0)
      tensor.stored_bits = bits_of(tensor.type);
    if (const ScaledRows rows = output == node.outputs.front()
                                    ? scaled_rows(network_.view(node), tensor.stored_bits)
                                    : ScaledRows();
        rows.axis >= 0) {
      tensor.stored_scale = rows.scale;
      tensor.stored_axis = rows.axis;
      tensor.scale_of_channel = true;
    }
  }
}

void ResultCompletion::fill_in_lengths(Tensor& tensor) const {
  stated_.fill_in(tensor, [this](const std::string& name) { return lengths_.given_if_meant(name); });
  if (!tensor.shape) return;
  for (std::size_t axis = 0; axis < tensor.shape->size(); ++axis)
    if ((*tensor.shape)[axis] == unknown_length)
      (*tensor.shape)[axis] = lengths_.given(fmt::format("{}:{}", tensor.name, axis));
}

}  // namespace zz::core::onnx_import
