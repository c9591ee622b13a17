#include "plugins/pictures/labels.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>

namespace zz::plugins {
namespace {

/// The part that tells results apart comes first, so that a picture without room cuts none of it off.
struct ResultName {
  std::string what;   ///< "7", "sum of 21 layers"
  std::string layer;  ///< its name, "" of a sum

  std::string text() const { return layer.empty() ? what : what + ": " + layer; }
};

ResultName plain_name(const core::Evaluation& evaluation) {
  if (evaluation.layer) return {std::to_string(evaluation.layer->id), evaluation.layer->name};
  return {
      fmt::format("{} of {} layers", evaluation.schedule ? "schedule" : "sum", evaluation.layer_ids.size()),
      ""};
}

std::vector<std::string> texts_of(const std::vector<ResultName>& names) {
  std::vector<std::string> texts;
  for (const ResultName& name : names) texts.push_back(name.text());
  return texts;
}

std::string accelerator_name(const core::Evaluation& evaluation) {
  return evaluation.accelerator ? evaluation.accelerator->name : "";
}

/// The names must outlive them.
std::map<std::string_view, int> frequencies(const std::vector<std::string>& names) {
  std::map<std::string_view, int> counts;
  for (const std::string& name : names) ++counts[name];
  return counts;
}

}  // namespace

std::string layer_label(const core::Layer& layer) { return fmt::format("{}: {}", layer.id, layer.name); }

std::vector<std::string> result_names(const ResultList& results) {
  std::vector<ResultName> names;
  for (const auto& result : results) names.push_back(plain_name(*result));

  const std::vector<std::string> plain_names = texts_of(names);
  const auto plain = frequencies(plain_names);
  if (plain.size() == names.size()) return plain_names;
  const bool several = std::any_of(results.begin(), results.end(), [&](const auto& result) {
    return accelerator_name(*result) != accelerator_name(*results.front());
  });
  for (std::size_t i = 0; i < names.size(); ++i)
    if (several && plain.at(plain_names[i]) > 1 && !accelerator_name(*results[i]).empty())
      names[i].what += ", " + accelerator_name(*results[i]);

  const std::vector<std::string> common_names = texts_of(names);
  const auto common = frequencies(common_names);
  std::map<std::string_view, int> seen;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (common.at(common_names[i]) > 1) names[i].what += fmt::format(" #{}", ++seen[common_names[i]]);
  return texts_of(names);
}

std::vector<std::string> layer_operands(const ResultList& results) {
  std::vector<std::string> operands;
  for (const auto& result : results)
    for (const core::OperandCost& cost : result->operands)
      if (std::find(operands.begin(), operands.end(), cost.operand) == operands.end())
        operands.push_back(cost.operand);
  return operands;
}

std::string operands_text(const core::Schedule& schedule, const core::ScheduledNode& scheduled) {
  const core::ComputationNode& node = schedule.graph->nodes[scheduled.node];
  const core::Layer& layer = *schedule.graph->layers[node.layer].layer;
  const core::CoreCost* cost = schedule.costs ? schedule.costs->find(node, scheduled.core) : nullptr;
  std::string text;
  for (std::size_t operand = 0; operand < node.tensors.size(); ++operand) {
    if (node.tensors[operand] < 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", layer.operands[operand].name,
                        size_text(schedule.graph->tensors[node.tensors[operand]].bits));
    if (cost && std::count(cost->streamed.begin(), cost->streamed.end(), static_cast<int>(operand)) > 0)
      text += " (streamed)";
  }
  return text;
}

std::string tensor_text(const core::ComputationNodeGraph& graph, int tensor) {
  const core::PieceTensor& piece = graph.tensors[tensor];
  const core::Layer& layer = *graph.layers[piece.layer].layer;
  return fmt::format("{} of {}, node {}", layer.operands[piece.operand].name, layer_label(layer),
                     graph.nodes[piece.first_node].sub_id);
}

std::string size_text(std::int64_t bits) {
  if (bits < 8) return fmt::format("{} bit", bits);
  double size = static_cast<double>(bits) / 8;
  const char* unit = "B";
  for (const char* larger : {"KiB", "MiB", "GiB", "TiB", "PiB"}) {
    if (size < 1024) break;
    size /= 1024;
    unit = larger;
  }
  return size < 1000 ? fmt::format("{:.3g} {}", size, unit) : fmt::format("{:.0f} {}", size, unit);
}

}  // namespace zz::plugins
