#include "core/multicore/graph/graph_parts.hpp"

#include <fmt/format.h>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/multicore/graph/cut_layer.hpp"
#include "core/multicore/graph/detail/box_dependencies.hpp"
#include "core/multicore/graph/detail/piece_tensors.hpp"

namespace zz::core {
namespace {

/// Whether iterations of the outer loop belong to different groups.
bool separates_groups(const CutLayer& cut_layer, const NodeLoop& outer, const Rules& rules) {
  const Layer& layer = *cut_layer.layer;
  const bool adds_up = is_irrelevant(layer, 0, outer.loop);
  if (!rules.partial_sums_unordered && adds_up) return false;
  if (cut_layer.constants.empty() || (outer.spread && !adds_up)) return true;
  return layer.relevancy(cut_layer.constants.back(), outer.loop) == Relevancy::relevant;
}

/// Sets the groups of the nodes of a layer: nodes that cover the same slice of the last constant operand
/// (Layer::source_order), usually the weights. In a layer without constants each node is a group, and
/// pieces of loops that are spread are in groups of their own.
///
/// Nodes that add up to the same outputs are in one group, so that partial sums stay on one core.
void set_groups(ComputationNodeGraph& graph, int layer, const Rules& rules) {
  CutLayer& cut_layer = graph.layers[layer];
  std::vector<std::int64_t> weights;
  std::int64_t groups = 1;
  for (const NodeLoop& outer : cut_layer.outer_loops) {
    const bool separates = separates_groups(cut_layer, outer, rules);
    weights.push_back(separates ? groups : 0);
    if (separates) groups *= outer.count;
  }
  PieceCounters counters(cut_layer);
  for (int sub_id = 0; sub_id < cut_layer.node_count; ++sub_id, counters.advance()) {
    std::int64_t group = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) group += weights[i] * counters[static_cast<int>(i)];
    graph.nodes[cut_layer.first_node + sub_id].group = static_cast<int>(group);
  }
  cut_layer.group_count = static_cast<int>(groups);
}

}  // namespace

CutLayer cut_layer(const Layer& layer, const MultiCoreAccelerator& accelerator, const SplitOptions& options,
                   std::vector<std::string>& warnings) {
  if (layer.operands.size() > most_operands)
    throw InputError(fmt::format("layer {} '{}' has {} operands, expected at most {}", layer.id, layer.name,
                                 layer.operands.size(), most_operands));
  if (layer.operands.empty())
    throw InputError(fmt::format("layer {} '{}' has no output", layer.id, layer.name));
  Layer whole = layer;
  std::vector<std::int64_t> sizes;
  for (const LoopDimension& loop : layer.loops) sizes.push_back(loop.size);
  std::vector<NodeLoop> loops = outer_loops(whole, accelerator, options, warnings);
  return cut_layer(std::move(whole), std::move(loops), std::move(sizes));
}

void add_layer(ComputationNodeGraph& graph, CutLayer cut, const Rules& rules) {
  const int layer_index = static_cast<int>(graph.layers.size());
  graph.layers.push_back(std::move(cut));
  CutLayer& cut_layer = graph.layers.back();
  cut_layer.first_node = static_cast<int>(graph.nodes.size());
  std::vector<std::int64_t> sizes;
  for (const LoopDimension& loop : cut_layer.layer->loops) sizes.push_back(loop.size);
  const std::vector<bool> finishing =
      finishing_nodes(cut_layer, rules.padding_is_data ? sizes : cut_layer.loop_sizes);
  const std::vector<int> shapes = node_shapes(cut_layer);
  graph.nodes.resize(graph.nodes.size() + cut_layer.node_count);
  for (int sub_id = 0; sub_id < cut_layer.node_count; ++sub_id) {
    ComputationNode& node = graph.nodes[cut_layer.first_node + sub_id];
    node.layer = layer_index;
    node.sub_id = sub_id;
    node.shape = shapes[sub_id];
    node.final_output = finishing[sub_id];
  }
  set_groups(graph, layer_index, rules);
  add_piece_tensors(graph, layer_index, rules);

  const Layer& layer = *cut_layer.layer;
  const std::int64_t precision =
      layer.final_output_precision > 0 ? layer.final_output_precision : layer.operands[0].precision;
  const std::int64_t bits_with_padding = cut_layer.piece->operand_elements(0, rules) * precision;
  for (int n = cut_layer.first_node; n < cut_layer.first_node + cut_layer.node_count; ++n) {
    ComputationNode& node = graph.nodes[n];
    node.produced_bits = rules.padding_is_data ? bits_with_padding : graph.tensors[node.tensors[0]].bits;
  }
}

void add_group_order(ComputationNodeGraph& graph, int layer) {
  const CutLayer& cut_layer = graph.layers[layer];
  std::vector<int> next(cut_layer.group_count + 1, 0);
  for (int sub_id = 0; sub_id < cut_layer.node_count; ++sub_id)
    ++next[graph.nodes[cut_layer.first_node + sub_id].group + 1];
  for (int group = 0; group < cut_layer.group_count; ++group) next[group + 1] += next[group];
  std::vector<int> by_group(cut_layer.node_count);
  for (int node = cut_layer.first_node; node < cut_layer.first_node + cut_layer.node_count; ++node)
    by_group[next[graph.nodes[node].group]++] = node;
  for (std::size_t i = 0; i < by_group.size(); ++i) {
    if (i > 0 && graph.nodes[by_group[i - 1]].group == graph.nodes[by_group[i]].group)
      graph.dependencies.push_back({by_group[i - 1], by_group[i], -1, 0});
    graph.node_order.push_back(by_group[i]);
  }
}

void finish_graph(ComputationNodeGraph& graph, const Rules& rules) {
  graph.index();
  set_output_priorities(graph, rules);
}

}  // namespace zz::core
