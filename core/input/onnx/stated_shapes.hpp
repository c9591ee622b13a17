#pragma once
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/diagnostics/diagnostics.hpp"
#include "core/input/onnx/onnx_graph.hpp"
#include "core/input/onnx/tensor.hpp"

namespace zz::core::onnx_import {

/// Types and shapes that a file states of the tensors of its outermost graph. They only fill in what does
/// not follow from the operators. Borrows the graph.
class StatedShapes {
 public:
  explicit StatedShapes(const onnx::GraphProto& graph);

  /// Fills in the type and the lengths of a tensor that are unknown, as far as they are stated. `given` is
  /// the length that the user gives under a name, or unknown_length.
  void fill_in(Tensor& tensor, const std::function<std::int64_t(const std::string&)>& given) const;

  /// Notes a tensor whose shape is known, if another one is stated.
  void compare(const Tensor& tensor);

  /// One warning about all that were noted.
  void warn(const SourceMark& mark, Diagnostics& diagnostics) const;

 private:
  std::unordered_map<std::string, const onnx::ValueInfoProto*> stated_;
  std::vector<std::string> contradicted_;
};

}  // namespace zz::core::onnx_import
