#include "core/multicore/check/detail/sample_rules.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/multicore/graph/samples.hpp"

namespace zz::core::check {
namespace {

int repeats_of(const ComputationNodeGraph& graph, const CutLayer& layer) {
  return graph.samples / layer.samples;
}

int pieces_of(const ComputationNodeGraph& graph, const CutLayer& layer) {
  return layer.node_count / repeats_of(graph, layer);
}

/// By node of the whole graph: its number in the graph of its sample.
std::vector<int> numbers_in_sample(const ComputationNodeGraph& graph) {
  std::vector<int> numbers;
  int first = 0;
  for (const CutLayer& layer : graph.layers) {
    const int pieces = pieces_of(graph, layer);
    for (int node = 0; node < layer.node_count; ++node) numbers.push_back(first + node % pieces);
    first += pieces;
  }
  return numbers;
}

/// The samples of a node.
Range samples_of(const ComputationNodeGraph& graph, int node) {
  const CutLayer& layer = graph.layers[graph.nodes[node].layer];
  const int repeat = (node - layer.first_node) / pieces_of(graph, layer);
  return {std::int64_t{repeat} * layer.samples, std::int64_t{repeat + 1} * layer.samples};
}

bool has(Range samples, int sample) { return samples.low <= sample && sample < samples.high; }

/// Samples that two nodes have in common.
std::int64_t common_samples(const ComputationNodeGraph& graph, int a, int b) {
  const Range first = samples_of(graph, a), second = samples_of(graph, b);
  return std::min(first.high, second.high) - std::max(first.low, second.low);
}

std::string node_name(const ComputationNodeGraph& graph, int node) {
  const CutLayer& layer = graph.layers[graph.nodes[node].layer];
  return fmt::format("node {} of layer {} '{}'", node - layer.first_node, layer.layer->id,
                     layer.layer->name);
}

bool same_part(const ComputationNodeGraph& a, const ComputationNodeGraph& b) {
  const auto same_node = [](const ComputationNode& x, const ComputationNode& y) {
    return std::tie(x.layer, x.sub_id, x.group, x.shape, x.final_output, x.produced_bits, x.tensors) ==
           std::tie(y.layer, y.sub_id, y.group, y.shape, y.final_output, y.produced_bits, y.tensors);
  };
  const auto same_tensor = [](const PieceTensor& x, const PieceTensor& y) {
    // Where two layers put different numbers of samples together, more nodes read some results than others.
    return std::tie(x.layer, x.operand, x.first_node, x.bits) ==
               std::tie(y.layer, y.operand, y.first_node, y.bits) &&
           (x.operand == 0 || x.base_priority == y.base_priority);
  };
  const auto waits = [](const ComputationNodeGraph& graph) {
    std::vector<std::tuple<int, int, int, std::int64_t>> list;
    for (const Dependency& entry : graph.dependencies)
      list.emplace_back(entry.from, entry.to, entry.operand, entry.bits);
    std::sort(list.begin(), list.end());
    return list;
  };
  return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(), same_node) &&
         std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(), same_tensor) &&
         waits(a) == waits(b);
}

void check_data(const ComputationNodeGraph& graph, Findings& findings) {
  std::map<int, int> repeat_of_tensor;
  for (int node = 0; node < static_cast<int>(graph.nodes.size()); ++node) {
    const CutLayer& layer = graph.layers[graph.nodes[node].layer];
    const int pieces = pieces_of(graph, layer), repeat = (node - layer.first_node) / pieces;
    for (std::size_t operand = 0; operand < layer.layer->operands.size(); ++operand) {
      const int tensor = graph.nodes[node].tensors[operand];
      const bool constant = shared_by_samples(*layer.layer, static_cast<int>(operand));
      if (constant && tensor != graph.nodes[node - repeat * pieces].tensors[operand])
        findings.add("tensor", node_name(graph, node) + " reads other constants than in the first sample");
      if (!constant && repeat_of_tensor.emplace(tensor, repeat).first->second != repeat)
        findings.add("tensor", node_name(graph, node) + " has data of another sample");
    }
  }
}

void check_waits(const ComputationNodeGraph& graph, Findings& findings) {
  std::set<std::pair<int, int>> orders;
  for (const Dependency& entry : graph.dependencies) {
    if (entry.operand < 0)
      orders.emplace(entry.from, entry.to);
    else if (const std::int64_t common = common_samples(graph, entry.from, entry.to);
             common <= 0 || entry.bits % common != 0)
      findings.add("dependency", node_name(graph, entry.to) + " waits for data of another sample");
  }
  std::map<std::pair<int, int>, int> latest;
  for (int node = 0; node < static_cast<int>(graph.nodes.size()); ++node) {
    const std::pair group(graph.nodes[node].layer, graph.nodes[node].group);
    const auto before = latest.find(group);
    if (before != latest.end() && orders.erase({before->second, node}) == 0)
      findings.add("order", node_name(graph, node) + " does not wait for the node before it in its group");
    latest[group] = node;
  }
  for (const auto& [from, to] : orders)
    findings.add("order", fmt::format("{} waits for {} without reason", node_name(graph, to),
                                      node_name(graph, from)));
}

}  // namespace

ComputationNodeGraph part_of_sample(const ComputationNodeGraph& graph, int sample) {
  const std::vector<int> numbers = numbers_in_sample(graph);
  ComputationNodeGraph part;
  part.name = graph.name;
  std::map<int, int> tensor_numbers;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    const CutLayer& whole = graph.layers[i];
    CutLayer& layer = part.layers.emplace_back(whole);
    const int pieces = pieces_of(graph, whole), repeats = repeats_of(graph, whole);
    const int from = whole.first_node + sample / whole.samples * pieces;
    layer.samples = 1;
    layer.first_node = static_cast<int>(part.nodes.size());
    layer.node_count = pieces;
    for (SmallerPiece& smaller : layer.smaller_pieces) smaller.node_count /= repeats;
    int least_group = whole.group_count, groups = 0;
    for (int node = from; node < from + pieces; ++node)
      least_group = std::min(least_group, graph.nodes[node].group);
    for (int node = from; node < from + pieces; ++node) {
      ComputationNode& own = part.nodes.emplace_back(graph.nodes[node]);
      own.sub_id = node - from;
      own.produced_bits /= whole.samples;
      own.group -= least_group;
      groups = std::max(groups, own.group + 1);
      for (std::size_t operand = 0; operand < whole.layer->operands.size(); ++operand) {
        int& tensor = own.tensors[operand];
        if (tensor < 0 || tensor >= static_cast<int>(graph.tensors.size())) continue;
        const auto [known, fresh] = tensor_numbers.emplace(tensor, static_cast<int>(part.tensors.size()));
        if (fresh) {
          PieceTensor& made = part.tensors.emplace_back(graph.tensors[tensor]);
          const bool constant = shared_by_samples(*whole.layer, static_cast<int>(operand));
          if (constant)
            made.base_priority /= repeats;
          else
            made.bits /= whole.samples;
          made.first_node = made.first_node >= 0 && made.first_node < static_cast<int>(numbers.size())
                                ? numbers[made.first_node]
                                : -1;
        }
        tensor = known->second;
      }
    }
    layer.group_count = groups;
  }
  for (const Dependency& entry : graph.dependencies) {
    if (!has(samples_of(graph, entry.from), sample) || !has(samples_of(graph, entry.to), sample)) continue;
    part.dependencies.push_back({numbers[entry.from], numbers[entry.to], entry.operand,
                                 entry.bits / common_samples(graph, entry.from, entry.to)});
  }
  for (const int node : graph.node_order)
    if (has(samples_of(graph, node), sample)) part.node_order.push_back(numbers[node]);
  part.index();
  return part;
}

void check_samples(const ComputationNodeGraph& graph, Findings& findings) {
  check_data(graph, findings);
  check_waits(graph, findings);
  if (!findings.empty()) return;
  const ComputationNodeGraph first = part_of_sample(graph, 0);
  for (int sample = 1; sample < graph.samples && !findings.full(); ++sample)
    if (!same_part(first, part_of_sample(graph, sample)))
      findings.add("samples", fmt::format("sample {} is not cut or connected as the first one", sample));
}

}  // namespace zz::core::check
