#include "core/input/onnx/detail/result_completion.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <string>

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

/// True when the result of a node lies in memory as its input does: DequantizeLinear happens on the way to
/// the array, and a rearrangement, the largest of some elements or a Cast of what was stored in a narrower
/// type changes nothing.
bool keeps_storage(const NetworkNode& node, const Tensor& input) {
  if (node.known == nullptr) return false;
  if (node.op_type == "DequantizeLinear") return true;
  const bool narrower = input.stored != input.type || input.stored_bits != bits_of(input.type);
  const bool picks = node.op_type == "MaxPool" || node.op_type == "GlobalMaxPool";
  if (picks || node.known->work == Operator::Work::rearrangement) return narrower;
  return narrower && input.constant && (node.op_type == "Cast" || node.op_type == "QuantizeLinear");
}

/// Its elements may be lengths, which nobody knows yet.
bool may_count(const Tensor& tensor) {
  constexpr std::int64_t most_lengths = 64;
  return tensor.values == nullptr && is_integral(tensor.type) && tensor.elements() <= most_lengths;
}

}  // namespace

void ResultCompletion::complete(const NetworkNode& node) const {
  bool constant = true;
  std::string reason;
  std::shared_ptr<const UnknownLengths> from;
  const Tensor* first = nullptr;
  for (const std::int64_t input : node.inputs) {
    if (input < 0) continue;
    const Tensor& tensor = network_.tensors[static_cast<std::size_t>(input)];
    constant = constant && (tensor.constant || tensor.values != nullptr);
    if (reason.empty() && !tensor.has_full_shape()) reason = tensor.unknown_because;
    if (from == nullptr) from = unknown_lengths_of(tensor);
    if (first == nullptr) first = &tensor;
  }
  for (const std::int64_t output : node.outputs) {
    if (output < 0) continue;
    Tensor& tensor = network_.tensors[static_cast<std::size_t>(output)];
    if (tensor.has_full_shape()) stated_.compare(tensor);
    if (stated_count_) stated_.prefer(tensor);
    tensor.constant = constant || tensor.values != nullptr;
    if (!tensor.has_full_shape()) fill_in_lengths(tensor);
    if (tensor.has_full_shape())
      tensor.unknown_because.clear();
    else if (tensor.unknown_because.empty())
      tensor.unknown_because = reason;
    if (tensor.has_full_shape() ? may_count(tensor) : from != nullptr)
      tensor.unknown_from = from;
    else
      tensor.unknown_from = unknown_lengths_of(tensor);
    const bool stored_as_before = first != nullptr && keeps_storage(node, *first);
    tensor.stored = stored_as_before ? first->stored : tensor.type;
    if (stored_as_before)
      tensor.stored_bits = first->stored_bits;
    else if (tensor.stored_bits == 0)
      tensor.stored_bits = bits_of(tensor.type);
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
