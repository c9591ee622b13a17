#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/json_text.hpp"
#include "host/report/network_report.hpp"

namespace zz::host {
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
    Json one{{"name", node.name}, {"operator", node.op_type}, {"work", work_of(node)}, {"macs", cost.macs}};
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
  for (std::size_t i = 0; i < report.network.nodes.size(); ++i)
    if (!report.costs[i].problem.empty()) nodes.push_back(report.network.nodes[i].name);
  return {{"nodes", std::move(nodes)},
          {"known_macs", report.missing_macs},
          {"share_of_known_macs", report.missing_share()}};
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
