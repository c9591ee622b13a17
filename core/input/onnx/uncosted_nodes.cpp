#include "core/input/onnx/uncosted_nodes.hpp"

#include <fmt/format.h>
#include <set>
#include <string>
#include <vector>

#include "core/base/nearest_name.hpp"

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

void warn_of_unknown_allowances(const Network& network, const OnnxReading& reading) {
  std::set<std::string> types;
  for (const NetworkNode& node : network.nodes) types.insert(node.op_type);
  for (const std::string& type : reading.settings.allow_uncosted)
    if (types.count(type) == 0)
      reading.diagnostics.warning(
          reading.mark,
          fmt::format("'allow_uncosted' names {}, but the network has no operator of this type", type),
          suggestion(type, std::vector<std::string>(types.begin(), types.end())));
}

}  // namespace zz::core::onnx_import
