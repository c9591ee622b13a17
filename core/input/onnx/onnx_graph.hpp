#pragma once
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnostics/diagnostics.hpp"

// The messages of ONNX files: <onnx/onnx_pb.h> has them, and takes long to compile.
namespace onnx {
class AttributeProto;
class FunctionProto;
class GraphProto;
class ModelProto;
class NodeProto;
class TensorProto;
class ValueInfoProto;
}  // namespace onnx

namespace zz::core::onnx_import {

/// A node that cannot be read. Thrown while one node is read, and turned into a diagnostic that names the
/// node, so that a file's other nodes are still looked at.
class NodeProblem : public std::runtime_error {
 public:
  explicit NodeProblem(const std::string& message, std::string hint = "")
      : std::runtime_error(message), hint_(std::move(hint)) {}
  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

/// A node of a network and the nodes that feed it. `proto` is borrowed from the graph.
struct GraphNode {
  std::int64_t id = 0;  ///< index in the file, from 0
  std::string name;     ///< "Op<id>" when the file gives none
  const onnx::NodeProto* proto = nullptr;
  /// For each input in order, the node that produces it; inputs that no node produces (weights, inputs of
  /// the network) are left out, and a node that is read twice is listed twice.
  std::vector<std::int64_t> predecessors;
};

/// All nodes in file order. Adds an error for a tensor that two nodes produce, and for one that is
/// produced only after it is read.
std::vector<GraphNode> list_nodes(const onnx::GraphProto& graph, const SourceMark& mark,
                                  Diagnostics& diagnostics);

/// Adds the problem of a node as an error that names the node.
void report(const NodeProblem& problem, const GraphNode& node, const SourceMark& mark,
            Diagnostics& diagnostics);

/// The problem of a node whose attribute holds too small a value.
NodeProblem below_smallest(const std::string& attribute, std::int64_t value, std::int64_t smallest);

/// The attribute of that name, or nullptr.
const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, const std::string& name);

/// An integer attribute, or `otherwise` when the node has none. Throws NodeProblem when it is something
/// else than one integer.
std::int64_t integer_attribute(const onnx::NodeProto& node, const std::string& name,
                               std::int64_t otherwise);

/// An attribute that lists integers, or nothing when the node has none. Throws NodeProblem when it is
/// something else, is not of length `count`, or holds a value below `smallest`.
std::optional<std::vector<std::int64_t>> integers_attribute(const onnx::NodeProto& node,
                                                            const std::string& name, std::size_t count,
                                                            std::int64_t smallest);

}  // namespace zz::core::onnx_import
