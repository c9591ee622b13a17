#pragma once
#include "core/input/onnx/network.hpp"
#include "core/input/onnx/open_lengths.hpp"
#include "core/input/onnx/stated_shapes.hpp"

namespace zz::core::onnx_import {

/// What holds for the results of every operator once it has told their types and shapes: whether they are
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
