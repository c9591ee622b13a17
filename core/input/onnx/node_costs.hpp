#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/input/onnx/network.hpp"
#include "core/workload/layer.hpp"

namespace zz::core::onnx_import {

/// What an estimate makes of one node.
struct NodeCost {
  std::int64_t macs = 0;  ///< multiply-accumulates of all its products
  /// A layer for each product with work, without id, sources and mapping.
  std::vector<Layer> layers;
  /// Bits per element of each input as the products read it; 0 for inputs that are left out.
  std::vector<std::int64_t> input_bits;
  /// Why it has no cost although it multiplies, or may multiply; empty when it has one, or needs none.
  std::string problem;
};

/// The costs of all nodes, by NetworkNode::id. Unknown operators and nodes whose layers cannot be made have
/// a problem; nothing is thrown for them.
std::vector<NodeCost> node_costs(const Network& network);

}  // namespace zz::core::onnx_import
