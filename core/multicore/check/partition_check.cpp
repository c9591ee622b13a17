#include "core/multicore/check/partition_check.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/multicore/check/detail/dependency_rules.hpp"
#include "core/multicore/check/detail/findings.hpp"
#include "core/multicore/check/detail/layer_rules.hpp"
#include "core/multicore/check/detail/node_boxes.hpp"

namespace zz::core {
namespace {

using partition_check::Findings;
using partition_check::NodeBoxes;

/// Whether pieces of a cut layer can be those of a layer of the network.
bool same_loops(const Layer& real, const CutLayer& cut_layer) {
  if (!cut_layer.layer || !cut_layer.piece || cut_layer.layer->id != real.id) return false;
  if (cut_layer.layer->loops.size() != real.loops.size() ||
      cut_layer.piece->loops.size() != real.loops.size())
    return false;
  for (std::size_t loop = 0; loop < real.loops.size(); ++loop) {
    std::int64_t pieces = 1;
    for (const NodeLoop& outer : cut_layer.outer_loops)
      if (outer.loop == static_cast<int>(loop)) pieces *= outer.count;
    const std::int64_t size = real.loops[loop].size, piece = cut_layer.piece->loops[loop].size;
    const bool same = cut_layer.piece->loops[loop].name == real.loops[loop].name &&
                      cut_layer.layer->loops[loop].size == size && piece * pieces >= size &&
                      piece * (pieces - 1) < size;
    if (!same) return false;
  }
  return cut_layer.layer->operands == real.operands && cut_layer.layer->relations == real.relations;
}

bool check_layers(const Workload& workload, const ComputationNodeGraph& graph, Findings& findings) {
  for (const auto& layer : workload.layers)
    if (graph.layer_index(layer->id) < 0)
      findings.add("layers", fmt::format("layer {} '{}' has no nodes", layer->id, layer->name));
  int nodes = 0;
  for (const CutLayer& cut_layer : graph.layers) {
    const Layer* real = cut_layer.layer ? workload.layer(cut_layer.layer->id) : nullptr;
    if (real == nullptr || !same_loops(*real, cut_layer))
      findings.add("layers", fmt::format("the nodes of layer {} are not pieces of it",
                                         cut_layer.layer ? cut_layer.layer->id : -1));
    if (cut_layer.first_node != nodes)
      findings.add("layers", "the nodes of the layers do not follow each other");
    nodes += cut_layer.node_count;
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
  for (const CutLayer& cut_layer : graph.layers)
    boxes.emplace_back(*workload.layer(cut_layer.layer->id), cut_layer);
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
