#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/diagnostics/diagnostics.hpp"
#include "core/input/stream/stream_onnx_layers.hpp"
#include "core/workload/workload.hpp"

namespace zz::core::onnx_import {

/// The integers that a model holds as constants: initializers and Constant nodes, by tensor. Borrows the
/// graph.
class IntegerConstants {
 public:
  explicit IntegerConstants(const onnx::GraphProto& graph);
  /// The values of a tensor of 64- or 32-bit integers; nothing when it is no such constant.
  std::optional<std::vector<std::int64_t>> find(const std::string& tensor) const;

 private:
  std::unordered_map<std::string, const onnx::TensorProto*> tensors_;
  std::unordered_map<std::string, std::vector<std::int64_t>> lists_;
};

/// What a node without cost does to the shape of its data; of kind none for all but Reshape, Squeeze,
/// Unsqueeze, Flatten, Transpose, Gather and Concat. Indices of a Gather that are not known before the
/// network runs count as 0, with a warning in `doubts`. Throws NodeProblem.
ShapeChange shape_change_of(const StreamNode& node, const TensorShapes& shapes,
                            const IntegerConstants& constants, std::vector<std::string>& doubts);

}  // namespace zz::core::onnx_import
