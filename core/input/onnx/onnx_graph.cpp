#include "core/input/onnx/onnx_graph.hpp"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <string_view>
#include <unordered_map>

namespace zz::core::onnx_import {
namespace {

using Producers = std::unordered_map<std::string_view, std::int64_t>;  // keys: of the nodes

Producers find_producers(const std::vector<GraphNode>& nodes, const SourceMark& mark,
                         Diagnostics& diagnostics) {
  Producers producers;
  producers.reserve(nodes.size());
  for (const GraphNode& node : nodes) {
    for (const auto& output : node.proto->output()) {
      if (output.empty()) continue;
      const auto [first, inserted] = producers.emplace(output, node.id);
      if (inserted) continue;
      diagnostics.error(mark,
                        fmt::format("node '{}' ({}): its output '{}' is also produced by node '{}'",
                                    node.name, node.proto->op_type(), output, nodes[first->second].name),
                        "every tensor of a graph has one producer");
    }
  }
  return producers;
}

}  // namespace

std::vector<GraphNode> list_nodes(const onnx::GraphProto& graph, const SourceMark& mark,
                                  Diagnostics& diagnostics) {
  std::vector<GraphNode> nodes;
  nodes.reserve(graph.node_size());
  for (const auto& proto : graph.node()) {
    const auto id = static_cast<std::int64_t>(nodes.size());
    nodes.push_back({id, proto.name().empty() ? fmt::format("Op{}", id) : proto.name(), &proto, {}});
  }
  const Producers producers = find_producers(nodes, mark, diagnostics);
  for (GraphNode& node : nodes) {
    for (const auto& input : node.proto->input()) {
      const auto producer = producers.find(input);
      if (producer == producers.end()) continue;
      if (producer->second >= node.id) {
        diagnostics.error(
            mark,
            fmt::format("node '{}' ({}): its input '{}' is produced only later, by node '{}'", node.name,
                        node.proto->op_type(), input, nodes[producer->second].name),
            "a graph lists its nodes in an order in which they can be executed");
        continue;
      }
      node.predecessors.push_back(producer->second);
    }
  }
  return nodes;
}

void report(const NodeProblem& problem, const GraphNode& node, const SourceMark& mark,
            Diagnostics& diagnostics) {
  diagnostics.error(mark,
                    fmt::format("node '{}' ({}): {}", node.name, node.proto->op_type(), problem.what()),
                    problem.hint());
}

NodeProblem below_smallest(const std::string& attribute, std::int64_t value, std::int64_t smallest) {
  return NodeProblem(fmt::format("the attribute '{}' holds {}, the smallest legal value is {}", attribute,
                                 value, smallest));
}

const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, const std::string& name) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

std::int64_t integer_attribute(const onnx::NodeProto& node, const std::string& name,
                               std::int64_t otherwise) {
  const onnx::AttributeProto* attribute = find_attribute(node, name);
  if (attribute == nullptr) return otherwise;
  if (attribute->type() != onnx::AttributeProto::INT) {
    throw NodeProblem(fmt::format("the attribute '{}' must be an integer", name));
  }
  return attribute->i();
}

std::optional<std::vector<std::int64_t>> integers_attribute(const onnx::NodeProto& node,
                                                            const std::string& name, std::size_t count,
                                                            std::int64_t smallest) {
  const onnx::AttributeProto* attribute = find_attribute(node, name);
  if (attribute == nullptr) return std::nullopt;
  if (attribute->type() != onnx::AttributeProto::INTS) {
    throw NodeProblem(fmt::format("the attribute '{}' must be a list of integers", name));
  }
  std::vector<std::int64_t> values(attribute->ints().begin(), attribute->ints().end());
  if (values.size() != count) {
    throw NodeProblem(
        fmt::format("the attribute '{}' has {} values, expected {}", name, values.size(), count));
  }
  for (const std::int64_t value : values) {
    if (value < smallest) throw below_smallest(name, value, smallest);
  }
  return values;
}

}  // namespace zz::core::onnx_import
