#include "core/multicore/check/detail/layer_rules.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/workload/tile_bits.hpp"

namespace zz::core::check {
namespace {

std::string name(const NodeBoxes& boxes, int sub_id) {
  return fmt::format("node {} of layer {} '{}'", sub_id, boxes.layer().id, boxes.layer().name);
}

std::int64_t bits_per_element(const Layer& layer, int operand) {
  return operand == 0 && layer.final_output_precision > 0 ? layer.final_output_precision
                                                          : layer.operands[operand].precision;
}

/// The bits of the scales in a box of so many elements along each axis.
std::int64_t bits_of_scales(const Layer& layer, int operand, const std::vector<std::int64_t>& extents) {
  const LayerOperand& entry = layer.operands[operand];
  const bool finished = operand == 0 && layer.final_output_precision > 0;
  const BlockScale& scale = finished ? layer.final_output_scale : entry.scale;
  if (!scale.any()) return 0;
  const int loop = block_loop(layer, operand, scale);
  std::int64_t scales = 1;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const bool in_blocks = layer.loop_index(entry.dimensions[axis]) == loop;
    scales *= in_blocks ? (extents[axis] + scale.every - 1) / scale.every : extents[axis];
  }
  return scales * scale.bits;
}

/// The part of a box that lies off-chip from the start when only a part of the operand does.
std::int64_t bits_of_box(const NodeBoxes& boxes, int operand, std::int64_t elements,
                         const std::vector<std::int64_t>& extents) {
  const Layer& layer = boxes.layer();
  const std::int64_t bits =
      elements * bits_per_element(layer, operand) + bits_of_scales(layer, operand, extents);
  if (operand == 0 || layer.operands[operand].offchip_elements == 0) return bits;
  double all = 1;
  for (int axis = 0; axis < boxes.axes(operand); ++axis)
    all *= static_cast<double>(boxes.extent(operand, axis));
  const double share = static_cast<double>(layer.operands[operand].offchip_elements) / all;
  return std::min(bits, static_cast<std::int64_t>(std::llround(static_cast<double>(bits) * share)));
}

void check_tensors_of(const ComputationNodeGraph& graph, const NodeBoxes& boxes, int operand,
                      Findings& findings) {
  const CutLayer& cut_layer = boxes.cut_layer();
  const Layer& layer = boxes.layer();
  const LayerOperand& entry = layer.operands[operand];
  const bool constant = operand > 0 && (entry.constant || entry.offchip_elements > 0);
  std::map<std::vector<std::int64_t>, int> tensor_of_box;
  std::map<int, std::int64_t> nodes_of_tensor;
  std::vector<Coordinates> together(boxes.axes(operand));
  const auto wrong = [&](int sub_id, const std::string& what) {
    findings.add("tensor", fmt::format("{}, operand {}: {}", name(boxes, sub_id), entry.name, what));
  };
  for (int sub_id = 0; sub_id < cut_layer.node_count && !findings.full(); ++sub_id) {
    const int node = cut_layer.first_node + sub_id, tensor = graph.nodes[node].tensors[operand];
    if (tensor < 0 || tensor >= static_cast<int>(graph.tensors.size())) {
      wrong(sub_id, "it has no tensor");
      continue;
    }
    std::vector<std::int64_t> box, extents;
    std::int64_t elements = 1;
    for (int axis = 0; axis < boxes.axes(operand); ++axis) {
      const Coordinates touched = boxes.touched(sub_id, operand, axis);
      extents.push_back(span(touched));
      elements *= extents.back();
      box.push_back(static_cast<std::int64_t>(touched.size()));
      for (const Range& range : touched) {
        box.insert(box.end(), {range.low, range.high});
        together[axis].push_back(range);
      }
    }
    const auto [shared, fresh] = tensor_of_box.emplace(box, tensor);
    const PieceTensor& found = graph.tensors[tensor];
    if (shared->second != tensor) wrong(sub_id, "another node touches the same box and has another tensor");
    if (fresh && nodes_of_tensor.count(tensor) > 0) wrong(sub_id, "its tensor is that of another box");
    if (++nodes_of_tensor[tensor] == 1) {
      if (&graph.layers[found.layer] != &cut_layer || found.operand != operand || found.first_node != node)
        wrong(sub_id, "its tensor belongs to another layer, operand or first node");
      if (const std::int64_t bits = bits_of_box(boxes, operand, elements, extents); bits != found.bits)
        wrong(sub_id,
              fmt::format("its box of {} elements has {} bits, the tensor {}", elements, bits, found.bits));
    }
  }
  if (findings.full()) return;
  for (const auto& [tensor, nodes] : nodes_of_tensor)
    if (constant && graph.tensors[tensor].base_priority != nodes)
      findings.add(
          "tensor",
          fmt::format("layer {} '{}', operand {}: a constant that {} nodes read counts {} uses", layer.id,
                      layer.name, entry.name, nodes, graph.tensors[tensor].base_priority));
  for (int axis = 0; axis < boxes.axes(operand); ++axis) {
    std::sort(together[axis].begin(), together[axis].end(),
              [](const Range& a, const Range& b) { return a.low < b.low; });
    Coordinates merged;
    for (const Range& range : together[axis]) {
      if (!merged.empty() && merged.back().high >= range.low)
        merged.back().high = std::max(merged.back().high, range.high);
      else
        merged.push_back(range);
    }
    if (count(merged) != count(boxes.touched_by_all(operand, axis)))
      findings.add("tensor",
                   fmt::format("layer {} '{}', operand {}: its pieces leave out a part along axis {}",
                               layer.id, layer.name, entry.name, axis));
  }
}

}  // namespace

void check_coverage(const NodeBoxes& boxes, Findings& findings) {
  const CutLayer& cut_layer = boxes.cut_layer();
  const Layer& layer = boxes.layer();
  std::int64_t combinations = 1;
  for (std::size_t loop = 0; loop < layer.loops.size(); ++loop) {
    std::set<std::pair<std::int64_t, std::int64_t>> ranges;
    for (int sub_id = 0; sub_id < cut_layer.node_count; ++sub_id) {
      const Range range = boxes.iterations(sub_id, static_cast<int>(loop));
      if (range.low >= range.high) {
        findings.add("coverage",
                     fmt::format("{} has no iteration of {}", name(boxes, sub_id), layer.loops[loop].name));
        return;
      }
      ranges.emplace(range.low, range.high);
    }
    std::int64_t reached = 0;
    for (const auto& [low, high] : ranges) {
      if (low != reached)
        findings.add("coverage",
                     fmt::format("layer {} '{}': iterations {} to {} of {} belong to {}", layer.id,
                                 layer.name, std::min(low, reached), std::max(low, reached),
                                 layer.loops[loop].name, low > reached ? "no node" : "several"));
      reached = high;
    }
    if (reached != layer.loops[loop].size)
      findings.add("coverage", fmt::format("layer {} '{}': iterations from {} on of {} belong to no node",
                                           layer.id, layer.name, reached, layer.loops[loop].name));
    combinations *= static_cast<std::int64_t>(ranges.size());
  }
  // Each node is another combination, since its number tells the counters of all loops.
  if (combinations != cut_layer.node_count)
    findings.add("coverage", fmt::format("layer {} '{}' has {} nodes for {} combinations of ranges",
                                         layer.id, layer.name, cut_layer.node_count, combinations));
}

void check_shapes(const ComputationNodeGraph& graph, const NodeBoxes& boxes, Findings& findings) {
  const CutLayer& cut_layer = boxes.cut_layer();
  Layer expected = boxes.layer();
  name_block_loops(expected);
  for (int sub_id = 0; sub_id < cut_layer.node_count; ++sub_id) {
    const auto shape = static_cast<std::size_t>(graph.nodes[cut_layer.first_node + sub_id].shape);
    if (shape > cut_layer.smaller_pieces.size()) {
      findings.add("shape", name(boxes, sub_id) + " has a shape that its layer lacks");
      continue;
    }
    for (std::size_t loop = 0; loop < expected.loops.size(); ++loop) {
      const Range range = boxes.iterations(sub_id, static_cast<int>(loop));
      expected.loops[loop].size = range.high - range.low;
    }
    const Layer& piece = shape == 0 ? *cut_layer.piece : *cut_layer.smaller_pieces[shape - 1].piece;
    if (!(piece == expected))
      findings.add("shape", name(boxes, sub_id) + " costs what a layer of another shape does");
  }
}

void check_tensors(const ComputationNodeGraph& graph, const NodeBoxes& boxes, Findings& findings) {
  for (std::size_t operand = 0; operand < boxes.layer().operands.size(); ++operand)
    check_tensors_of(graph, boxes, static_cast<int>(operand), findings);
  for (int sub_id = 0; sub_id < boxes.cut_layer().node_count; ++sub_id) {
    const ComputationNode& node = graph.nodes[boxes.cut_layer().first_node + sub_id];
    if (node.tensors[0] >= 0 && node.produced_bits != graph.tensors[node.tensors[0]].bits)
      findings.add("tensor", name(boxes, sub_id) + " writes other bits than its tensor has");
  }
}

void check_groups(const ComputationNodeGraph& graph, const NodeBoxes& boxes, Findings& findings) {
  const CutLayer& cut_layer = boxes.cut_layer();
  std::map<int, int> group_of_output, latest_of_group;
  std::set<std::pair<int, int>> order;
  for (int sub_id = 0; sub_id < cut_layer.node_count; ++sub_id) {
    const int node = cut_layer.first_node + sub_id;
    for (int i = graph.predecessor_begin[node]; i < graph.predecessor_begin[node + 1]; ++i) {
      const Dependency& dependency = graph.dependencies[graph.predecessors[i]];
      if (dependency.operand < 0) order.emplace(dependency.from, dependency.to);
    }
  }
  for (int sub_id = 0; sub_id < cut_layer.node_count; ++sub_id) {
    const int number = cut_layer.first_node + sub_id;
    const ComputationNode& node = graph.nodes[number];
    if (node.group < 0 || node.group >= cut_layer.group_count)
      findings.add("reduction", name(boxes, sub_id) + " is in a group that does not exist");
    const auto [group, fresh] = group_of_output.emplace(node.tensors[0], node.group);
    if (group->second != node.group)
      findings.add("reduction", name(boxes, sub_id) + " adds to an output of another group");
    if (node.final_output != boxes.finishes(sub_id))
      findings.add("reduction", fmt::format("{} {} its output", name(boxes, sub_id),
                                            node.final_output ? "does not finish" : "finishes"));
    const auto before = latest_of_group.find(node.group);
    if (before != latest_of_group.end() && order.erase({before->second, number}) == 0)
      findings.add("order", name(boxes, sub_id) + " does not wait for the node before it in its group");
    latest_of_group[node.group] = number;
  }
  for (const auto& [from, to] : order)
    findings.add("order", fmt::format("{} waits for node {} without reason",
                                      name(boxes, to - cut_layer.first_node), from));
}

void check_order(const ComputationNodeGraph& graph, Findings& findings) {
  const std::size_t nodes = graph.nodes.size();
  const auto places = [&](const std::vector<int>& order, const char* which) {
    std::vector<int> place(nodes, -1);
    for (std::size_t i = 0; i < order.size(); ++i)
      if (order[i] >= 0 && static_cast<std::size_t>(order[i]) < nodes)
        place[order[i]] = static_cast<int>(i);
    if (order.size() != nodes || std::count(place.begin(), place.end(), -1) > 0)
      findings.add("order", fmt::format("the {} order does not name each node once", which));
    return place;
  };
  places(graph.node_order, "written");
  const std::vector<int> place = places(graph.topological_order, "topological");
  for (const Dependency& dependency : graph.dependencies)
    if (place[dependency.from] >= place[dependency.to]) {
      findings.add("order",
                   fmt::format("node {} of layer {} stands before node {} of layer {}, for which it waits",
                               graph.nodes[dependency.to].sub_id, graph.layer_id(dependency.to),
                               graph.nodes[dependency.from].sub_id, graph.layer_id(dependency.from)));
      if (findings.full()) return;
    }
  const auto lists_agree = [&](const std::vector<int>& begin, const std::vector<int>& list,
                               int Dependency::*end) {
    if (begin.size() != nodes + 1 || list.size() != graph.dependencies.size()) return false;
    for (std::size_t node = 0; node < nodes; ++node)
      for (int i = begin[node]; i < begin[node + 1]; ++i)
        if (graph.dependencies[list[i]].*end != static_cast<int>(node)) return false;
    return true;
  };
  if (!lists_agree(graph.predecessor_begin, graph.predecessors, &Dependency::to) ||
      !lists_agree(graph.successor_begin, graph.successors, &Dependency::from))
    findings.add("order", "the lists of predecessors and successors are not those of the dependencies");
}

}  // namespace zz::core::check
