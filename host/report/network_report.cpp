#include "host/report/network_report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "core/cost/missing_work.hpp"
#include "core/input/onnx/network_report.hpp"
#include "core/output/json/number_type_json.hpp"
#include "host/report/iteration_names.hpp"
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

std::vector<NetworkReport::OfOperator> NetworkReport::by_operator() const {
  std::map<std::string, OfOperator> found;
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    OfOperator& one = found[network.nodes[i].op_type];
    one.name = network.nodes[i].op_type;
    ++one.nodes;
    add_up(one.macs, costs[i].macs.value_or(0));
  }
  std::vector<OfOperator> all;
  for (auto& [name, one] : found) all.push_back(std::move(one));
  std::stable_sort(all.begin(), all.end(), [](const OfOperator& a, const OfOperator& b) {
    return std::pair(a.macs, a.nodes) > std::pair(b.macs, b.nodes);
  });
  return all;
}

std::vector<const core::onnx_import::NetworkNode*> NetworkReport::largest(std::size_t count) const {
  const auto macs_of = [this](const core::onnx_import::NetworkNode* node) {
    return costs[static_cast<std::size_t>(node->id)].macs.value_or(0);
  };
  std::vector<const core::onnx_import::NetworkNode*> found;
  for (const core::onnx_import::NetworkNode& node : network.nodes)
    if (macs_of(&node) > 0) found.push_back(&node);
  std::stable_sort(found.begin(), found.end(),
                   [&](const auto* a, const auto* b) { return macs_of(a) > macs_of(b); });
  std::vector<const core::onnx_import::NetworkNode*> different;
  std::set<std::string> names;
  for (const core::onnx_import::NetworkNode* const node : found)
    if (different.size() < count && names.insert(without_iterations(node->name)).second)
      different.push_back(node);
  return different;
}

NetworkReport report_network(const std::string& file, const core::onnx_import::GivenInputs& given,
                             core::Diagnostics& diagnostics) {
  NetworkReport report;
  report.file = file;
  report.network = core::onnx_import::read_network(file, given, diagnostics);
  for (const core::Diagnostic& each : diagnostics.all()) report.warnings.push_back(each.message);
  report.costs = core::onnx_import::node_costs(report.network);
  report.parameters = core::onnx_import::parameter_count(report.network);
  report.parameter_bytes = core::onnx_import::parameter_bytes(report.network);
  report.activation_bytes = core::onnx_import::activation_bytes(report.network);
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

/// A name that names around it make long, without its middle.
std::string shown_name(const std::string& name) {
  constexpr std::size_t widest = 56, front = 20;
  if (name.size() <= widest) return name;
  return name.substr(0, front) + "..." + name.substr(name.size() - (widest - front - 3));
}

/// A table whose rows begin with a name. Rows that only differ in the iterations of a loop are one, with
/// their number in a column of its own.
class NamedRows {
 public:
  explicit NamedRows(std::vector<TextTable::Column> columns) : columns_(std::move(columns)) {}

  void add(const std::string& name, std::vector<std::string> cells) {
    std::string key = without_iterations(name);
    for (const std::string& cell : cells) key += '\n' + cell;
    const auto [found, is_new] = places_.emplace(std::move(key), rows_.size());
    if (is_new)
      rows_.push_back({name, 1, std::move(cells)});
    else
      ++rows_[found->second].times;
  }

  std::string text() const {
    const bool repeats =
        std::any_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.times > 1; });
    std::vector<TextTable::Column> columns = columns_;
    if (repeats) columns.insert(columns.begin() + 1, {"times", true});
    TextTable table(std::move(columns));
    for (const Row& row : rows_) {
      std::vector<std::string> cells{shown_name(row.times > 1 ? without_iterations(row.name) : row.name)};
      if (repeats) cells.push_back(row.times > 1 ? std::to_string(row.times) : "");
      cells.insert(cells.end(), row.cells.begin(), row.cells.end());
      table.add_row(std::move(cells));
    }
    return table.text();
  }

 private:
  struct Row {
    std::string name;
    std::int64_t times;
    std::vector<std::string> cells;
  };
  const std::vector<TextTable::Column> columns_;
  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t> places_;
};

std::string inputs_table(const NetworkReport& report) {
  NamedRows table({{"tensor"}, {"", false}, {"shape and type"}});
  const auto add = [&](const std::vector<std::int64_t>& indices, const char* kind) {
    for (const std::int64_t index : indices) {
      const Tensor& tensor = report.network.tensors[static_cast<std::size_t>(index)];
      table.add(tensor.name, {kind, described(tensor, tensor.stored_bits)});
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
  NamedRows table({{"node"}, {"operator"}, {"MACs", true}, {"results"}, {"operands"}});
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
    table.add(node.name, {node.op_type, macs, results, multiplies ? described_operands(report, node) : ""});
  }
  return table.text();
}

/// Share of all multiply-accumulates; "?" when nobody knows those of a node.
std::string share_text(const NetworkReport& report, std::int64_t macs) {
  if (!report.missing_share()) return "?";
  std::int64_t whole = report.macs;
  add_up(whole, report.missing_macs);
  return fmt::format("{:.2f} %", 100.0 * static_cast<double>(macs) / static_cast<double>(whole));
}

std::string operators_table(const NetworkReport& report) {
  TextTable table({{"operator"}, {"nodes", true}, {"MACs", true}, {"share", true}});
  for (const NetworkReport::OfOperator& one : report.by_operator()) {
    const bool multiplies = one.macs > 0;
    table.add_row({one.name, std::to_string(one.nodes), multiplies ? std::to_string(one.macs) : "-",
                   multiplies ? share_text(report, one.macs) : "-"});
  }
  return table.text();
}

constexpr std::size_t shown_as_largest = 5;

std::string largest_table(const NetworkReport& report) {
  TextTable table({{"largest nodes"}, {"operator"}, {"MACs", true}, {"share", true}});
  for (const NetworkNode* const node : report.largest(shown_as_largest)) {
    const std::int64_t macs = report.costs[static_cast<std::size_t>(node->id)].macs.value_or(0);
    table.add_row({shown_name(node->name), node->op_type, std::to_string(macs), share_text(report, macs)});
  }
  return table.text();
}

std::string sums(const NetworkReport& report) {
  std::string text = fmt::format(
      "bytes: {} of parameters, {} of inputs and results\n{} multiply-accumulates, {} parameters",
      report.parameter_bytes, report.activation_bytes, report.macs, report.parameters);
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
  std::string text =
      fmt::format("{}\n{}\n{}\n", inputs_table(report), nodes_table(report), operators_table(report));
  if (!report.largest(1).empty()) text += largest_table(report) + "\n";
  return text + sums(report) + "\n";
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
    for (const core::LayerOperand& operand : layer.operands)
      bits[operand.name] = core::number_type_json({operand.precision, operand.scale});
    bits["O_final"] = core::number_type_json({layer.final_output_precision, layer.final_output_scale});
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

Json operators_of(const NetworkReport& report) {
  Json operators = Json::array();
  for (const NetworkReport::OfOperator& one : report.by_operator())
    operators.push_back({{"operator", one.name}, {"nodes", one.nodes}, {"macs", one.macs}});
  return operators;
}

Json largest_of(const NetworkReport& report) {
  Json nodes = Json::array();
  for (const NetworkNode* const node : report.largest(shown_as_largest))
    nodes.push_back(
        {{"name", node->name}, {"macs", *report.costs[static_cast<std::size_t>(node->id)].macs}});
  return nodes;
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
                      {"parameter_bytes", report.parameter_bytes},
                      {"activation_bytes", report.activation_bytes},
                      {"operators", operators_of(report)},
                      {"largest_nodes", largest_of(report)},
                      {"kv_cache", cache_of(report)},
                      {"without_cost", uncosted(report)},
                      {"inputs", names_of(report, report.network.inputs)},
                      {"outputs", names_of(report, report.network.outputs)},
                      {"nodes", nodes_of(report)},
                      {"tensors", tensors_of(report)}};
  return core::json_text(document, {.indent = 2, .levels = 2}) + "\n";
}

}  // namespace zz::host
