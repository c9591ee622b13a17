#include "core/input/onnx/stated_shapes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

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

}  // namespace zz::core::onnx_import
