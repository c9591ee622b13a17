#include "core/input/onnx/result_completion.hpp"

#include <fmt/format.h>
#include <string>

namespace zz::core::onnx_import {
namespace {

/// True when the result of a node lies in memory as its input does: DequantizeLinear happens on the way to
/// the array, and a rearrangement or a Cast of what was stored in a narrower type changes nothing.
bool keeps_storage(const NetworkNode& node, const Tensor& input) {
  if (node.known == nullptr) return false;
  if (node.op_type == "DequantizeLinear") return true;
  const bool narrower = input.stored != input.type;
  if (node.known->work == Operator::Work::rearrangement) return narrower;
  return narrower && input.constant && (node.op_type == "Cast" || node.op_type == "QuantizeLinear");
}

}  // namespace

void ResultCompletion::complete(const NetworkNode& node) const {
  bool constant = true;
  std::string reason;
  const Tensor* first = nullptr;
  for (const std::int64_t input : node.inputs) {
    if (input < 0) continue;
    const Tensor& tensor = network_.tensors[static_cast<std::size_t>(input)];
    constant = constant && (tensor.constant || tensor.values != nullptr);
    if (reason.empty() && !tensor.has_full_shape()) reason = tensor.unknown_because;
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
    const bool stored_as_before = first != nullptr && keeps_storage(node, *first);
    tensor.stored = stored_as_before ? first->stored : tensor.type;
    tensor.stored_bits = stored_as_before ? first->stored_bits : bits_of(tensor.type);
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
