#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/input/onnx/network.hpp"
#include "core/workload/layer.hpp"

// The layers that Stream makes of a network: evaluate_as_zigzag().
namespace zz::core::onnx_import {

/// A node of a network as Stream looks at it.
struct StreamNode {
  const NetworkNode& node;
  OperatorNode view;
  /// For each input, the id of the node that produces it; no_producer for weights and inputs of the
  /// network, which lie in the off-chip memory from the start, and for results of operators without inputs.
  std::vector<std::int64_t> producers;

  static constexpr std::int64_t no_producer = -1;

  const std::string& type() const { return view.op_type(); }
  std::int64_t producer(std::size_t input) const {
    return input < producers.size() ? producers[input] : no_producer;
  }
  /// The producers of all inputs that have one, in their order.
  std::vector<std::int64_t> predecessors() const;
};

/// True for the operators that run on a core: convolutions, matrix products, pooling, and additions and
/// multiplications of two tensors of one shape.
bool is_stream_layer(const StreamNode& node);

/// The layer of such a node, without mapping. Throws NodeProblem.
Layer make_stream_layer(const StreamNode& node);

/// The names under which a mapping file may mean the node, most specific first.
std::vector<std::string> mapping_names(const StreamNode& node);

}  // namespace zz::core::onnx_import
