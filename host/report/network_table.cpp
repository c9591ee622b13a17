#include <fmt/format.h>
#include <map>

#include "core/base/printable.hpp"
#include "host/report/network_report.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {
namespace {

using core::onnx_import::NetworkNode;
using core::onnx_import::Tensor;

/// "1x3x224x224 float32"; "?" for a length that is known at run time only.
std::string described(const Tensor& tensor, std::int64_t bits) {
  std::string text;
  if (!tensor.shape) text = "?";
  if (tensor.shape && tensor.shape->empty()) text = "one";
  if (tensor.shape) {
    for (const std::int64_t length : *tensor.shape)
      text += (text.empty() ? "" : "x") + (length < 0 ? "?" : std::to_string(length));
  }
  text += fmt::format(" {}", name_of(tensor.type));
  if (bits > 0 && bits != bits_of(tensor.type)) text += fmt::format(" of {} bits", bits);
  return text;
}

std::string inputs_table(const NetworkReport& report) {
  TextTable table({{"tensor"}, {"", false}, {"shape and type"}});
  const auto add = [&](const std::vector<std::int64_t>& indices, const char* kind) {
    for (const std::int64_t index : indices) {
      const Tensor& tensor = report.network.tensors[static_cast<std::size_t>(index)];
      table.add_row({tensor.name, kind, described(tensor, tensor.stored_bits)});
    }
  };
  add(report.network.inputs, "input");
  add(report.network.weights, "weight");
  return table.text();
}

std::string described_operands(const NetworkReport& report, const NetworkNode& node) {
  const auto& bits = report.costs[static_cast<std::size_t>(node.id)].input_bits;
  std::string text;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] < 0) continue;
    const Tensor& tensor = report.network.tensors[static_cast<std::size_t>(node.inputs[i])];
    text +=
        (text.empty() ? "" : ", ") + described(tensor, bits[i]) + (tensor.constant ? " (constant)" : "");
  }
  return text;
}

std::string nodes_table(const NetworkReport& report) {
  TextTable table({{"node"}, {"operator"}, {"MACs", true}, {"results"}, {"operands"}});
  for (const NetworkNode& node : report.network.nodes) {
    const auto& cost = report.costs[static_cast<std::size_t>(node.id)];
    const bool multiplies = work_of(node) == "products";
    std::string results;
    for (const std::int64_t output : node.outputs) {
      if (output < 0) continue;
      const Tensor& tensor = report.network.tensors[static_cast<std::size_t>(output)];
      results += (results.empty() ? "" : ", ") + described(tensor, 0);
    }
    const std::string macs = !cost.problem.empty() ? "no cost"
                             : multiplies          ? fmt::format("{}", cost.macs)
                                                   : "-";
    table.add_row(
        {node.name, node.op_type, macs, results, multiplies ? described_operands(report, node) : ""});
  }
  return table.text();
}

std::string sums(const NetworkReport& report) {
  std::string text = fmt::format("{} multiply-accumulates, {} parameters", report.macs, report.parameters);
  if (report.cache)
    text += fmt::format("\nkeys and values: {} bytes before the step, {} after it, {} written",
                        report.cache->bytes_before, report.cache->bytes_after, report.cache->bytes_written);
  std::map<std::string, std::pair<std::int64_t, const NetworkNode*>> uncosted;  // by operator and reason
  for (const NetworkNode& node : report.network.nodes) {
    const std::string& problem = report.costs[static_cast<std::size_t>(node.id)].problem;
    if (problem.empty()) continue;
    auto& [count, first] = uncosted[node.op_type + ": " + problem];
    if (count++ == 0) first = &node;
  }
  for (const auto& [what, nodes] : uncosted)
    text += fmt::format("\nwithout cost: {} {} (first: '{}')", nodes.first, core::printable_line(what),
                        core::printable_line(nodes.second->name));
  if (!uncosted.empty())
    text += fmt::format("\nwithout cost: {:.2f} % of the multiply-accumulates that are known",
                        100 * report.missing_share());
  return text;
}

}  // namespace

std::string network_as_table(const NetworkReport& report) {
  return fmt::format("{}\n{}\n{}\n", inputs_table(report), nodes_table(report), sums(report));
}

}  // namespace zz::host
