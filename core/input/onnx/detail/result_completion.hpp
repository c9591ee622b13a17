#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/input/onnx/detail/open_lengths.hpp"
#include "core/input/onnx/network.hpp"

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

/// Facts about the results of every operator once it has told their types and shapes: whether they are
/// constant, the type in which memories hold them, and lengths that only the file or the user states.
class ResultCompletion {
 public:
  /// The references must live as long. With `stated_count` a stated shape is preferred.
  ResultCompletion(Network& network, OpenLengths& lengths, StatedShapes& stated, bool stated_count)
      : network_(network), lengths_(lengths), stated_(stated), stated_count_(stated_count) {}

  void complete(const NetworkNode& node) const;
  /// Lengths of a tensor that are not known otherwise.
  void fill_in_lengths(Tensor& tensor) const;

 private:
  Network& network_;
  OpenLengths& lengths_;
  StatedShapes& stated_;
  bool stated_count_;
};

}  // namespace zz::core::onnx_import
