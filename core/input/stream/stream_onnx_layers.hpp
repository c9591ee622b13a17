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
  const std::string& type() const;
  std::int64_t producer(std::size_t input) const {
    return input < producers.size() ? producers[input] : no_producer;
  }
  /// The producers of all inputs that have one, in their order.
  std::vector<std::int64_t> predecessors() const;
};

/// True for the operators that run on a core: convolutions, matrix products, pooling, and additions and
/// multiplications of two tensors of one shape.
bool is_stream_layer(const StreamNode& node, const TensorShapes& shapes);

/// The layer of such a node, without mapping. Throws NodeProblem.
Layer make_stream_layer(const StreamNode& node, const TensorShapes& shapes, const Rules& rules);

/// The names under which a mapping file may mean the node, most specific first.
std::vector<std::string> mapping_names(const StreamNode& node, const Layer& layer, const Rules& rules);

}  // namespace zz::core::onnx_import
