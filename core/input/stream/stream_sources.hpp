#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/input/onnx/network.hpp"

namespace zz::core::onnx_import {

/// Which layer or pass-through node the data of each tensor come from, and which of them lie off chip.
/// Borrows the network.
class StreamSources {
 public:
  static constexpr std::int64_t none = -1;

  explicit StreamSources(const Network& network)
      : network_(network), producers_(network.tensors.size(), none), offchip_(network.tensors.size(), 0) {}

  /// The node whose data an input is; none for what lies off chip, or is known before the network runs.
  std::int64_t of(const NetworkNode& node, std::size_t input) const;
  /// For each input, whether it has one.
  std::vector<bool> carried(const NetworkNode& node) const;

  /// Elements of an input that lie off chip from the start.
  std::int64_t offchip_elements(const NetworkNode& node, std::size_t input) const;

  /// The data of an output are those of that node.
  void set(const NetworkNode& node, std::size_t output, std::int64_t id);
  /// An operator without cost passes elements that lie off chip on: one that joins tensors all of them,
  /// others those of one input.
  void pass_on(const NetworkNode& node, std::size_t output);

  const Tensor& tensor(std::int64_t index) const {
    return network_.tensors[static_cast<std::size_t>(index)];
  }

 private:
  const Network& network_;
  std::vector<std::int64_t> producers_;  // by tensor
  std::vector<std::int64_t> offchip_;    // by tensor that has a producer
};

/// True for an operator that puts tensors one behind the other along an axis they all have.
bool joins_tensors(const OperatorNode& node);

}  // namespace zz::core::onnx_import
