#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/diagnostics/diagnostics.hpp"
#include "core/input/onnx/onnx_proto.hpp"

namespace zz::core::onnx_import {

/// A node with its place in the network. `proto` is borrowed from the graph.
struct GraphNode {
  std::int64_t id = 0;  ///< place in the file, from 0
  std::string name;     ///< "Op<id>" when the file gives none
  const onnx::NodeProto* proto = nullptr;
  /// For each input in order, the node that produces it; inputs that no node produces (weights, inputs
  /// of the network) are left out, and a node that is read twice is listed twice.
  std::vector<std::int64_t> predecessors;
};

/// All nodes in file order. Adds an error for a tensor that two nodes produce, and for one that is
/// produced only after it is read.
std::vector<GraphNode> list_nodes(const onnx::GraphProto& graph, const SourceMark& mark,
                                  Diagnostics& diagnostics);

}  // namespace zz::core::onnx_import
