#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/input/onnx/onnx_graph.hpp"
#include "core/input/onnx/onnx_shapes.hpp"
#include "core/workload/layer.hpp"

namespace zz::core::onnx_import {

/// A node of a network for several cores, and where its data come from.
struct StreamNode {
  const GraphNode& node;
  /// For each input, the id of the node whose data it is; no_producer for what lies in the off-chip memory
  /// from the start: weights, inputs of the network, and what is computed from them alone.
  std::vector<std::int64_t> producers;

  static constexpr std::int64_t no_producer = -1;

  const onnx::NodeProto& proto() const { return *node.proto; }
  const std::string& type() const { return node.proto->op_type(); }
  std::int64_t producer(std::size_t input) const {
    return input < producers.size() ? producers[input] : no_producer;
  }
  /// The producers of all inputs that have one, in their order.
  std::vector<std::int64_t> predecessors() const;
};

/// Where the data of an operand come from.
struct OperandProducer {
  const char* operand;
  std::int64_t producer = StreamNode::no_producer;
};

/// Makes the operands constant or gives them their sources, and notes the order.
void connect(Layer& layer, const std::vector<OperandProducer>& operands);

}  // namespace zz::core::onnx_import
