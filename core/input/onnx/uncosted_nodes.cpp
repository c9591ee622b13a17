#include "core/input/onnx/uncosted_nodes.hpp"

#include <fmt/format.h>

namespace zz::core::onnx_import {

void report_uncosted(const Network& network, const NetworkNode& node, const NodeProblem& problem,
                     const OnnxReading& reading, WorkloadBuilder& made) {
  const std::string text = fmt::format("node '{}' ({}): {}", node.name, node.op_type, problem.what());
  if (reading.settings.allow_uncosted.count(node.op_type) == 0) {
    reading.diagnostics.error(reading.mark, text, problem.hint());
    return;
  }
  reading.diagnostics.warning(reading.mark, text + "; it has no cost");
  made.add_uncosted({node.name, node.op_type, problem.what(), mac_count(network, node)});
}

void list_unknown_operators(const Network& network, WorkloadBuilder& made) {
  for (const NetworkNode& node : network.nodes)
    if (node.known == nullptr && node.answer == nullptr)
      made.add_uncosted({node.name, node.op_type, "the operator is unknown", 0});
}

}  // namespace zz::core::onnx_import
