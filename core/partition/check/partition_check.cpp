#include "core/partition/check/partition_check.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/partition/check/detail/dependency_rules.hpp"
#include "core/partition/check/detail/findings.hpp"
#include "core/partition/check/detail/layer_rules.hpp"
#include "core/partition/check/detail/node_boxes.hpp"

namespace zz::core {
namespace {

using partition_check::Findings;
using partition_check::NodeBoxes;

/// Whether pieces of a tiled layer can be those of a layer of the network.
bool same_loops(const Layer& real, const TiledLayer& tiled) {
  if (!tiled.layer || !tiled.tile || tiled.layer->id != real.id) return false;
  if (tiled.layer->loops.size() != real.loops.size() || tiled.tile->loops.size() != real.loops.size())
    return false;
  for (std::size_t loop = 0; loop < real.loops.size(); ++loop) {
    std::int64_t pieces = 1;
    for (const OuterLoop& outer : tiled.outer_loops)
      if (outer.loop == static_cast<int>(loop)) pieces *= outer.count;
    const std::int64_t size = real.loops[loop].size, piece = tiled.tile->loops[loop].size;
    const bool same = tiled.tile->loops[loop].name == real.loops[loop].name &&
                      tiled.layer->loops[loop].size == size && piece * pieces >= size &&
                      piece * (pieces - 1) < size;
    if (!same) return false;
  }
  return tiled.layer->operands == real.operands && tiled.layer->relations == real.relations;
}

bool check_layers(const Workload& workload, const ComputationNodeGraph& graph, Findings& findings) {
  for (const auto& layer : workload.layers)
    if (graph.layer_index(layer->id) < 0)
      findings.add("layers", fmt::format("layer {} '{}' has no nodes", layer->id, layer->name));
  int nodes = 0;
  for (const TiledLayer& tiled : graph.layers) {
    const Layer* real = tiled.layer ? workload.layer(tiled.layer->id) : nullptr;
    if (real == nullptr || !same_loops(*real, tiled))
      findings.add("layers", fmt::format("the nodes of layer {} are not pieces of it",
                                         tiled.layer ? tiled.layer->id : -1));
    if (tiled.first_node != nodes)
      findings.add("layers", "the nodes of the layers do not follow each other");
    nodes += tiled.node_count;
  }
  if (static_cast<std::size_t>(nodes) != graph.nodes.size())
    findings.add("layers", "the layers have another number of nodes in all");
  if (!findings.empty()) return false;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    for (int sub_id = 0; sub_id < graph.layers[layer].node_count; ++sub_id) {
      const ComputationNode& node = graph.nodes[graph.layers[layer].first_node + sub_id];
      if (node.layer != static_cast<int>(layer) || node.sub_id != sub_id)
        findings.add("layers", fmt::format("node {} of layer {} says that it is another one", sub_id,
                                           graph.layers[layer].layer->id));
    }
  }
  return findings.empty();
}

}  // namespace

std::vector<PartitionViolation> find_partition_violations(const Workload& workload,
                                                          const ComputationNodeGraph& graph,
                                                          std::size_t most) {
  Findings findings(most);
  if (!check_layers(workload, graph, findings)) return findings.take();
  std::vector<NodeBoxes> boxes;
  boxes.reserve(graph.layers.size());
  for (const TiledLayer& tiled : graph.layers) boxes.emplace_back(*workload.layer(tiled.layer->id), tiled);
  for (const NodeBoxes& of_layer : boxes) check_coverage(of_layer, findings);
  if (!findings.empty()) return findings.take();  // the rest would follow from it
  for (const NodeBoxes& of_layer : boxes) {
    check_shapes(graph, of_layer, findings);
    check_tensors(graph, of_layer, findings);
    check_groups(graph, of_layer, findings);
  }
  check_order(graph, findings);
  check_dependencies(workload, graph, boxes, findings);
  return findings.take();
}

}  // namespace zz::core
