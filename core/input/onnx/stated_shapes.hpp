#pragma once
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/input/onnx/node_problem.hpp"
#include "core/input/onnx/tensor.hpp"

namespace zz::core::onnx_import {

/// Types and shapes that a file states of the tensors of its outermost graph. Borrows the graph.
class StatedShapes {
 public:
  /// With `count` they are preferred to what follows.
  StatedShapes(const onnx::GraphProto& graph, bool count);

  /// Fills in the type and the lengths of a tensor that are unknown, as far as they are stated. `given` is
  /// the length that the user gives under a name, or unknown_length.
  void fill_in(Tensor& tensor, const std::function<std::int64_t(const std::string&)>& given) const;

  /// Gives a tensor the lengths that are stated. Its values are dropped where they are no longer as many.
  void prefer(Tensor& tensor);

  /// Notes a tensor whose shape is known, if another one is stated.
  void compare(const Tensor& tensor);
  /// Notes another contradiction.
  void note(std::string contradiction) { contradictions_.push_back(std::move(contradiction)); }

  /// One warning about all that were noted.
  void warn(const SourceMark& mark, Diagnostics& diagnostics) const;

 private:
  std::unordered_map<std::string, const onnx::ValueInfoProto*> stated_;
  bool count_;
  std::vector<std::string> contradictions_;
};

}  // namespace zz::core::onnx_import
