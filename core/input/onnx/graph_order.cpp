#include "core/input/onnx/graph_order.hpp"

#include <fmt/format.h>
#include <functional>
#include <onnx/onnx_pb.h>
#include <queue>
#include <string_view>
#include <unordered_map>

namespace zz::core::onnx_import {
namespace {

/// Calls `visit` for every tensor that the node reads, those that bodies read from outside included.
void for_each_read(const onnx::NodeProto& node, const std::function<void(const std::string&)>& visit) {
  for (const std::string& input : node.input()) visit(input);
  for (const auto& attribute : node.attribute()) {
    if (!attribute.has_g()) continue;
    for (const auto& inner : attribute.g().node()) for_each_read(inner, visit);
    for (const auto& output : attribute.g().output()) visit(output.name());
  }
}

}  // namespace

std::vector<const onnx::NodeProto*> computable_order(const std::vector<const onnx::NodeProto*>& nodes) {
  std::unordered_map<std::string_view, std::size_t> producers;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string& output : nodes[i]->output()) {
      if (!output.empty() && !producers.emplace(output, i).second)
        throw NodeProblem(fmt::format("tensor '{}' is produced by two nodes", output),
                          "every tensor of a graph has one producer");
    }
  }
  std::vector<std::vector<std::size_t>> readers(nodes.size());
  std::vector<std::size_t> awaited(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for_each_read(*nodes[i], [&](const std::string& tensor) {
      const auto producer = producers.find(tensor);
      if (producer == producers.end() || producer->second == i) return;
      readers[producer->second].push_back(i);
      ++awaited[i];
    });
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (awaited[i] == 0) ready.push(i);
  std::vector<const onnx::NodeProto*> order;
  order.reserve(nodes.size());
  while (!ready.empty()) {
    const std::size_t next = ready.top();
    ready.pop();
    order.push_back(nodes[next]);
    for (const std::size_t reader : readers[next])
      if (--awaited[reader] == 0) ready.push(reader);
  }
  if (order.size() == nodes.size()) return order;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (awaited[i] > 0)
      throw NodeProblem(fmt::format("node '{}' ({}) waits for its own result, over other nodes",
                                    nodes[i]->name(), nodes[i]->op_type()),
                        "a graph must have no circle");
  return order;
}

}  // namespace zz::core::onnx_import
