#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/input/onnx/operator_node.hpp"

namespace zz::core::onnx_import {

/// Elements of a tensor at regular distances: the one at `first`, and others at multiples of `strides` from
/// it, as many along each axis as `shape` says.
struct TakenElements {
  Shape shape;
  std::vector<std::int64_t> strides;
  std::int64_t first = 0;
};

/// What a Slice takes of its input, whose shape must be known. Nothing when bounds depend on data. Throws
/// NodeProblem.
std::optional<TakenElements> taken_by_slice(const OperatorNode& node);

/// Where along each axis of the result of a Pad the elements of its input begin. Nothing when that depends
/// on data, and where it does not pad with a constant. The input's shape must be known. Throws NodeProblem.
std::optional<std::vector<std::int64_t>> begin_in_pad(const OperatorNode& node);

}  // namespace zz::core::onnx_import
