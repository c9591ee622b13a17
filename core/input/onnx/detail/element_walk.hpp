#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/input/onnx/operator_node.hpp"

namespace zz::core::onnx_import {

/// Elements between neighbours along each axis, in row-major order.
inline std::vector<std::int64_t> row_major_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * std::max<std::int64_t>(shape[axis], 1);
  return strides;
}

/// Strides of a tensor that is broadcast to `result`: 0 along repeated axes.
inline std::vector<std::int64_t> broadcast_strides(const Shape& shape, const Shape& result) {
  const std::vector<std::int64_t> own = row_major_strides(shape);
  std::vector<std::int64_t> strides(result.size(), 0);
  const std::size_t missing = result.size() - shape.size();
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != 1) strides[axis + missing] = own[axis];
  return strides;
}

/// Calls `visit(n, offsets)` for the n-th element of `shape` in row-major order, with the sum of position
/// times stride for each list of strides.
template <class Visit>
void walk_elements(const Shape& shape, const std::vector<std::vector<std::int64_t>>& strides,
                   const Visit& visit) {
  std::vector<std::int64_t> position(shape.size(), 0), offsets(strides.size(), 0);
  const std::int64_t count = element_count(shape);
  for (std::int64_t n = 0; n < count; ++n) {
    visit(static_cast<std::size_t>(n), offsets);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      for (std::size_t i = 0; i < strides.size(); ++i) offsets[i] += strides[i][axis];
      if (++position[axis] < shape[axis]) break;
      for (std::size_t i = 0; i < strides.size(); ++i) offsets[i] -= strides[i][axis] * shape[axis];
      position[axis] = 0;
    }
  }
}

/// True when a result of that shape is small enough to have values, and all its lengths are known.
inline bool may_have_values(const std::optional<Shape>& shape) {
  return shape && std::find(shape->begin(), shape->end(), unknown_length) == shape->end() &&
         element_count(*shape) <= most_values;
}

/// Output `output` gets the elements of the first input at `first` plus position times stride. The output's
/// shape must be filled in; does nothing where values are unknown.
inline void take_elements(const OperatorNode& node, std::size_t output, std::int64_t first,
                          const std::vector<std::int64_t>& strides) {
  if (!node.has_output(output) || !node.input(0).values || !may_have_values(node.output(output).shape))
    return;
  std::visit(
      [&](const auto& list) {
        std::decay_t<decltype(list)> taken(static_cast<std::size_t>(node.output(output).elements()));
        walk_elements(*node.output(output).shape, {strides},
                      [&](std::size_t n, const std::vector<std::int64_t>& at) {
                        taken[n] = list[static_cast<std::size_t>(first + at[0])];
                      });
        node.set_values(output, std::make_shared<const Values>(std::move(taken)));
      },
      *node.input(0).values);
}

/// Elements of a tensor at regular distances: the one at `first`, and others at multiples of `strides` from
/// it, as many along each axis as `shape` says.
struct TakenElements {
  Shape shape;
  std::vector<std::int64_t> strides;
  std::int64_t first = 0;
};

/// Elements that a Slice takes of its input, whose shape must be known. Nothing when bounds depend on data.
/// Throws NodeProblem.
std::optional<TakenElements> taken_by_slice(const OperatorNode& node);

/// Where along each axis of the result of a Pad the elements of its input begin. Nothing when that depends
/// on data, and where it does not pad with a constant. The input's shape must be known. Throws NodeProblem.
std::optional<std::vector<std::int64_t>> begin_in_pad(const OperatorNode& node);

}  // namespace zz::core::onnx_import
