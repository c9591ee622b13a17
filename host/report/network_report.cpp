#include "host/report/network_report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "core/cost/missing_work.hpp"
#include "core/input/onnx/network_report.hpp"
#include "host/report/text_table.hpp"

namespace zz::host {
namespace {

void add_up(std::int64_t& sum, std::int64_t number) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  sum = number > largest - sum ? largest : sum + number;
}

}  // namespace

std::optional<double> NetworkReport::missing_share() const {
  const bool all_known =
      std::all_of(costs.begin(), costs.end(), [](const auto& cost) { return cost.macs.has_value(); });
  if (!all_known) return std::nullopt;
  if (missing_macs == 0) return 0;
  return static_cast<double>(missing_macs) /
         (static_cast<double>(macs) + static_cast<double>(missing_macs));
}

NetworkReport report_network(const std::string& file, const core::onnx_import::Dimensions& dimensions,
                             core::Diagnostics& diagnostics) {
  NetworkReport report;
  report.file = file;
  report.network = core::onnx_import::read_network(file, dimensions, diagnostics);
  for (const core::Diagnostic& each : diagnostics.all()) report.warnings.push_back(each.message);
  report.costs = core::onnx_import::node_costs(report.network);
  report.parameters = core::onnx_import::parameter_count(report.network);
  report.cache = core::onnx_import::kv_cache(report.network);
  for (const auto& cost : report.costs)
    add_up(cost.problem.empty() ? report.macs : report.missing_macs, cost.macs.value_or(0));
  return report;
}

std::string work_of(const core::onnx_import::NetworkNode& node) {
  return node.known == nullptr ? "unknown" : std::string(word_for(node.known->work));
}

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
                             : multiplies          ? fmt::format("{}", cost.macs.value_or(0))
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
    text += fmt::format("\nwithout cost: {} of the multiply-accumulates",
                        core::share_words(report.missing_share()));
  return text;
}

}  // namespace

std::string network_as_table(const NetworkReport& report) {
  return fmt::format("{}\n{}\n{}\n", inputs_table(report), nodes_table(report), sums(report));
}

namespace {

using Json = nlohmann::ordered_json;
using core::onnx_import::NetworkNode;
using core::onnx_import::NodeCost;
using core::onnx_import::Tensor;

/// Lengths that are known at run time only are null; so is the shape when not even the axes are known.
Json shape_of(const Tensor& tensor) {
  if (!tensor.shape) return nullptr;
  Json shape = Json::array();
  for (const std::int64_t length : *tensor.shape)
    shape.push_back(length < 0 ? Json(nullptr) : Json(length));
  return shape;
}

Json type_of(const Tensor& tensor) {
  if (tensor.type == core::onnx_import::ElementType::unknown) return nullptr;
  return std::string(name_of(tensor.type));
}

Json operands_of(const NetworkReport& report, const NetworkNode& node, const NodeCost& cost) {
  Json operands = Json::array();
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] < 0) continue;
    const Tensor& tensor = report.network.tensors[static_cast<std::size_t>(node.inputs[i])];
    operands.push_back({{"tensor", tensor.name},
                        {"shape", shape_of(tensor)},
                        {"type", type_of(tensor)},
                        {"bits", cost.input_bits[i]},
                        {"constant", tensor.constant}});
  }
  return operands;
}

Json layers_of(const NodeCost& cost) {
  Json layers = Json::array();
  for (const core::Layer& layer : cost.layers) {
    Json loops = Json::object(), bits = Json::object();
    for (const core::LoopDimension& loop : layer.loops) loops[loop.name] = loop.size;
    for (const core::LayerOperand& operand : layer.operands) bits[operand.name] = operand.precision;
    bits["O_final"] = layer.final_output_precision;
    layers.push_back({{"name", layer.name},
                      {"macs", layer.mac_count()},
                      {"equation", layer.equation},
                      {"loop_dimensions", std::move(loops)},
                      {"operand_precision", std::move(bits)}});
  }
  return layers;
}

Json tensors_of(const NetworkReport& report) {
  const auto& network = report.network;
  const std::set<std::int64_t> weights(network.weights.begin(), network.weights.end());
  std::map<std::int64_t, Json> other_names;
  for (const auto& [name, tensor] : network.other_names) other_names[tensor].push_back(name);
  Json tensors = Json::array();
  for (std::size_t i = 0; i < network.tensors.size(); ++i) {
    const Tensor& tensor = network.tensors[i];
    const auto index = static_cast<std::int64_t>(i);
    Json one{{"name", tensor.name},         {"type", type_of(tensor)},
             {"shape", shape_of(tensor)},   {"bits", tensor.stored_bits},
             {"constant", tensor.constant}, {"weight", weights.count(index) != 0}};
    if (const auto names = other_names.find(index); names != other_names.end())
      one["other_names"] = names->second;
    if (!tensor.has_full_shape() && !tensor.unknown_because.empty())
      one["unknown_because"] = tensor.unknown_because;
    tensors.push_back(std::move(one));
  }
  return tensors;
}

Json nodes_of(const NetworkReport& report) {
  Json nodes = Json::array();
  for (std::size_t i = 0; i < report.network.nodes.size(); ++i) {
    const NetworkNode& node = report.network.nodes[i];
    const NodeCost& cost = report.costs[i];
    Json results = Json::array();
    for (const std::int64_t output : node.outputs)
      if (output >= 0) results.push_back(report.network.tensors[static_cast<std::size_t>(output)].name);
    Json one{{"name", node.name},
             {"operator", node.op_type},
             {"work", work_of(node)},
             {"macs", cost.macs ? Json(*cost.macs) : Json()}};
    one["operands"] = operands_of(report, node, cost);
    one["results"] = std::move(results);
    if (!cost.layers.empty()) one["layers"] = layers_of(cost);
    if (!cost.problem.empty()) one["no_cost_because"] = cost.problem;
    nodes.push_back(std::move(one));
  }
  return nodes;
}

Json names_of(const NetworkReport& report, const std::vector<std::int64_t>& indices) {
  Json names = Json::array();
  for (const std::int64_t index : indices)
    names.push_back(report.network.tensors[static_cast<std::size_t>(index)].name);
  return names;
}

Json uncosted(const NetworkReport& report) {
  Json nodes = Json::array();
  const std::optional<double> share = report.missing_share();
  for (std::size_t i = 0; i < report.network.nodes.size(); ++i)
    if (!report.costs[i].problem.empty()) nodes.push_back(report.network.nodes[i].name);
  return {{"nodes", std::move(nodes)},
          {"known_macs", report.missing_macs},
          {"share_of_known_macs", share ? Json(*share) : Json()}};
}

Json cache_of(const NetworkReport& report) {
  if (!report.cache) return nullptr;
  return {{"bytes_before", report.cache->bytes_before},
          {"bytes_after", report.cache->bytes_after},
          {"bytes_written", report.cache->bytes_written},
          {"inputs", names_of(report, report.cache->before)},
          {"outputs", names_of(report, report.cache->after)}};
}

}  // namespace

std::string network_as_json(const NetworkReport& report) {
  const Json document{{"file", report.file},
                      {"warnings", report.warnings},
                      {"macs", report.macs},
                      {"parameters", report.parameters},
                      {"kv_cache", cache_of(report)},
                      {"without_cost", uncosted(report)},
                      {"inputs", names_of(report, report.network.inputs)},
                      {"outputs", names_of(report, report.network.outputs)},
                      {"nodes", nodes_of(report)},
                      {"tensors", tensors_of(report)}};
  return core::json_text(document, {.indent = 2, .levels = 2}) + "\n";
}

}  // namespace zz::host
