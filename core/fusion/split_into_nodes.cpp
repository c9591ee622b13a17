#include "core/fusion/split_into_nodes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <set>

#include "core/diagnostics/diagnostics.hpp"
#include "core/diagnostics/nearest_name.hpp"
#include "core/fusion/computation_node_graph.hpp"
#include "core/fusion/detail/box_dependencies.hpp"
#include "core/fusion/detail/layer_connections.hpp"
#include "core/fusion/detail/tile_tensors.hpp"
#include "core/fusion/tiled_layer.hpp"

namespace zz::core {
namespace {

/// Every loop that a hint names must be one of some layer; which layers lack it is no matter.
void check_hints(const Workload& workload, const SplitOptions& options, Diagnostics& problems,
                 std::vector<std::string>& warnings) {
  std::set<std::string> names;
  std::set<std::int64_t> ids(workload.node_order.begin(), workload.node_order.end());
  for (const auto& layer : workload.layers) {
    ids.insert(layer->id);
    for (const LoopDimension& loop : layer->loops) names.insert(loop.name);
  }
  const std::vector<std::string> known(names.begin(), names.end());
  const auto check = [&](const std::vector<HintLoop>& loops, const std::string& whose) {
    for (const HintLoop& hint : loops) {
      if (names.count(hint.dimension) != 0) continue;
      const std::string message =
          fmt::format("hint loops{} name '{}', which is no loop of any layer of '{}'", whose,
                      hint.dimension, workload.name);
      const std::string hint_text = suggestion(hint.dimension, known);
      if (options.rules.unknown_hint_loops_ignored)
        warnings.push_back(message + "; " + hint_text);
      else
        problems.error({}, message, hint_text);
    }
  };
  if (options.mode != split_by_layer) check(options.loops, "");
  if (options.mode != split_by_layer) return;
  for (const LayerHints& entry : options.layer_hints) {
    if (entry.layers.empty()) continue;
    check(entry.loops, fmt::format(" of the entry for layer {}{}", entry.layers.front(),
                                   entry.layers.size() > 1 ? ", ..." : ""));
    for (const std::int64_t id : entry.layers)
      if (ids.count(id) == 0)
        warnings.push_back(
            fmt::format("hint loops are given for layer {}, which '{}' lacks", id, workload.name));
  }
}

TiledLayer split(const Layer& layer, const MultiCoreAccelerator& accelerator, const SplitOptions& options,
                 std::vector<std::string>& warnings) {
  if (layer.operands.size() > most_operands)
    throw InputError(fmt::format("layer {} '{}' has {} operands, expected at most {}", layer.id, layer.name,
                                 layer.operands.size(), most_operands));
  if (layer.operands.empty())
    throw InputError(fmt::format("layer {} '{}' has no output", layer.id, layer.name));
  Layer whole = layer;
  std::vector<std::int64_t> sizes;
  for (const LoopDimension& loop : layer.loops) sizes.push_back(loop.size);
  std::vector<OuterLoop> loops = outer_loops(whole, accelerator, options, warnings);
  return tiled_layer(std::move(whole), std::move(loops), std::move(sizes));
}

/// Whether iterations of the outer loop belong to different groups.
bool separates_groups(const TiledLayer& tiled, int loop, const Rules& rules) {
  const Layer& layer = *tiled.layer;
  const bool adds_up = is_irrelevant(layer, 0, loop);
  if (!rules.partial_sums_unordered && adds_up) return false;
  if (tiled.constants.empty()) return true;
  return layer.relevancy(tiled.constants.back(), loop) == Relevancy::relevant;
}

/// Sets the groups of the nodes of a layer: nodes that cover the same slice of the last constant operand
/// (Layer::source_order), usually the weights. In a layer without constants each node is a group.
///
/// Nodes that add up to the same outputs are in one group, so that partial sums stay on one core.
void set_groups(ComputationNodeGraph& graph, int layer, const Rules& rules) {
  TiledLayer& tiled = graph.layers[layer];
  std::vector<std::int64_t> weights;
  std::int64_t groups = 1;
  for (const OuterLoop& outer : tiled.outer_loops) {
    const bool separates = separates_groups(tiled, outer.loop, rules);
    weights.push_back(separates ? groups : 0);
    if (separates) groups *= outer.count;
  }
  TileCounters counters(tiled);
  for (int sub_id = 0; sub_id < tiled.node_count; ++sub_id, counters.advance()) {
    std::int64_t group = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) group += weights[i] * counters[static_cast<int>(i)];
    graph.nodes[tiled.first_node + sub_id].group = static_cast<int>(group);
  }
  tiled.group_count = static_cast<int>(groups);
}

/// Appends the order within the groups of a layer to the dependencies, and its nodes to the node order.
void add_group_order(ComputationNodeGraph& graph, int layer) {
  const TiledLayer& tiled = graph.layers[layer];
  std::vector<int> next(tiled.group_count + 1, 0);
  for (int sub_id = 0; sub_id < tiled.node_count; ++sub_id)
    ++next[graph.nodes[tiled.first_node + sub_id].group + 1];
  for (int group = 0; group < tiled.group_count; ++group) next[group + 1] += next[group];
  std::vector<int> by_group(tiled.node_count);
  for (int node = tiled.first_node; node < tiled.first_node + tiled.node_count; ++node)
    by_group[next[graph.nodes[node].group]++] = node;
  for (std::size_t i = 0; i < by_group.size(); ++i) {
    if (i > 0 && graph.nodes[by_group[i - 1]].group == graph.nodes[by_group[i]].group)
      graph.dependencies.push_back({by_group[i - 1], by_group[i], -1, 0});
    graph.node_order.push_back(by_group[i]);
  }
}

void add_nodes(ComputationNodeGraph& graph, int layer_index, const Rules& rules) {
  TiledLayer& tiled = graph.layers[layer_index];
  tiled.first_node = static_cast<int>(graph.nodes.size());
  std::vector<std::int64_t> sizes;
  for (const LoopDimension& loop : tiled.layer->loops) sizes.push_back(loop.size);
  const std::vector<bool> finishing =
      finishing_nodes(tiled, rules.padding_is_data ? sizes : tiled.loop_sizes);
  graph.nodes.resize(graph.nodes.size() + tiled.node_count);
  for (int sub_id = 0; sub_id < tiled.node_count; ++sub_id) {
    ComputationNode& node = graph.nodes[tiled.first_node + sub_id];
    node.layer = layer_index;
    node.sub_id = sub_id;
    node.final_output = finishing[sub_id];
  }
  set_groups(graph, layer_index, rules);
  add_tile_tensors(graph, layer_index, rules);

  const Layer& layer = *tiled.layer;
  const std::int64_t precision =
      layer.final_output_precision > 0 ? layer.final_output_precision : layer.operands[0].precision;
  const std::int64_t bits_with_padding = tiled.tile->operand_elements(0, rules) * precision;
  for (int n = tiled.first_node; n < tiled.first_node + tiled.node_count; ++n) {
    ComputationNode& node = graph.nodes[n];
    node.produced_bits = rules.padding_is_data ? bits_with_padding : graph.tensors[node.tensors[0]].bits;
  }
}

}  // namespace

ComputationNodeGraph split_into_nodes(const Workload& workload, const MultiCoreAccelerator& accelerator,
                                      const SplitOptions& options, std::vector<std::string>& warnings) {
  Diagnostics problems;
  check_hints(workload, options, problems, warnings);
  const std::vector<std::int64_t> order = workload.topological_order();

  ComputationNodeGraph graph;
  graph.name = workload.name;
  std::vector<std::shared_ptr<const Layer>> layers = workload.layers;
  std::sort(layers.begin(), layers.end(), [](const auto& a, const auto& b) { return a->id < b->id; });
  std::int64_t nodes = 0;
  for (const auto& layer : layers) {
    try {
      graph.layers.push_back(split(*layer, accelerator, options, warnings));
      nodes += graph.layers.back().node_count;
    } catch (const InputError& problem) {
      for (const Diagnostic& part : problem.diagnostics())
        problems.error(part.mark, part.message, part.hint);
    }
  }
  if (nodes > most_computation_nodes) {
    const auto largest = std::max_element(
        graph.layers.begin(), graph.layers.end(),
        [](const TiledLayer& a, const TiledLayer& b) { return a.node_count < b.node_count; });
    problems.error(
        {},
        fmt::format("'{}' would be cut into {} computation nodes, {} of them for layer {} '{}'; at most "
                    "{} are possible",
                    workload.name, nodes, largest->node_count, largest->layer->id, largest->layer->name,
                    most_computation_nodes),
        options.mode == 2 ? "in mode 2 every loop without a hint is cut: name those that stay whole, "
                            "as [C, all]"
                          : "cut fewer loops, or into fewer pieces");
  }
  problems.throw_if_errors();

  graph.nodes.reserve(nodes);
  for (int layer = 0; layer < static_cast<int>(graph.layers.size()); ++layer)
    add_nodes(graph, layer, options.rules);
  for (const std::int64_t id : order)
    if (const int layer = graph.layer_index(id); layer >= 0) add_group_order(graph, layer);
  connect_layers(workload, graph, options.rules, problems, warnings);
  problems.throw_if_errors();
  graph.index();
  set_output_priorities(graph, options.rules);
  return graph;
}

}  // namespace zz::core
