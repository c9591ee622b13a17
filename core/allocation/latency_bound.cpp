#include "core/allocation/latency_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace zz::core {
namespace {

/// Cores as a sorted list.
using Cores = std::vector<int>;

struct LayerFacts {
  Cores cores;
  double runtime = 0;  ///< of a node, with the fastest core
};

std::vector<LayerFacts> layer_facts(const ScheduleProblem& problem) {
  std::vector<LayerFacts> facts;
  for (const CoreCosts::OfLayer& layer : problem.costs()->layers) {
    LayerFacts entry;
    entry.runtime = std::numeric_limits<double>::infinity();
    for (const CoreCost& cost : layer.on) {
      entry.cores.push_back(cost.core);
      entry.runtime = std::min(entry.runtime, cost.runtime);
    }
    if (layer.on.empty()) entry.runtime = 0;
    std::sort(entry.cores.begin(), entry.cores.end());
    facts.push_back(std::move(entry));
  }
  return facts;
}

/// Of each node: the longest path before it and from it on (itself included), with the fastest cores.
struct Paths {
  std::vector<double> before, from;
};

Paths longest_paths(const ComputationNodeGraph& graph, const std::vector<LayerFacts>& layers) {
  Paths paths{std::vector<double>(graph.nodes.size(), 0), std::vector<double>(graph.nodes.size(), 0)};
  const auto runtime = [&](int node) { return layers[graph.nodes[node].layer].runtime; };
  for (const int node : graph.topological_order) {
    for (int i = graph.predecessor_begin[node]; i < graph.predecessor_begin[node + 1]; ++i) {
      const int other = graph.dependencies[graph.predecessors[i]].from;
      paths.before[node] = std::max(paths.before[node], paths.before[other] + runtime(other));
    }
  }
  for (auto node = graph.topological_order.rbegin(); node != graph.topological_order.rend(); ++node) {
    double after = 0;
    for (int i = graph.successor_begin[*node]; i < graph.successor_begin[*node + 1]; ++i) {
      after = std::max(after, paths.from[graph.dependencies[graph.successors[i]].to]);
    }
    paths.from[*node] = runtime(*node) + after;
  }
  return paths;
}

/// Layers that are confined to a set of cores take at least their work divided by the number of cores,
/// after the shortest path to their first node and before the shortest path from their last one to the end.
double load_bound(const ComputationNodeGraph& graph, const std::vector<LayerFacts>& layers,
                  const Paths& paths) {
  std::set<Cores> sets;
  for (const LayerFacts& layer : layers) sets.insert(layer.cores);
  Cores all;
  for (const Cores& cores : sets) all.insert(all.end(), cores.begin(), cores.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  sets.insert(all);
  double bound = 0;
  for (const Cores& set : sets) {
    if (set.empty()) continue;
    const double never = std::numeric_limits<double>::infinity();
    double work = 0, before = never, after = never;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      const LayerFacts& layer = layers[graph.nodes[i].layer];
      if (!std::includes(set.begin(), set.end(), layer.cores.begin(), layer.cores.end())) continue;
      work += layer.runtime;
      before = std::min(before, paths.before[i]);
      after = std::min(after, paths.from[i] - layer.runtime);
    }
    if (work > 0) bound = std::max(bound, before + work / static_cast<double>(set.size()) + after);
  }
  std::map<std::pair<int, int>, double> groups;  // a group stays on one core
  for (const ComputationNode& node : graph.nodes) {
    bound = std::max(bound, groups[{node.layer, node.group}] += layers[node.layer].runtime);
  }
  return bound;
}

/// Constants have to come from the off-chip memory once and results to go there, over links that no core
/// can avoid. Operands that some core streams instead are left out.
double traffic_bound(const ScheduleProblem& problem, const std::vector<LayerFacts>& layers) {
  const MultiCoreAccelerator& accelerator = *problem.accelerator();
  const ComputationNodeGraph& graph = *problem.graph();
  if (!accelerator.offchip_core) return 0;
  const int offchip = *accelerator.offchip_core;
  const auto unavoidable = [&](const LayerFacts& layer, bool inward) {
    std::vector<int> links;
    for (std::size_t i = 0; i < layer.cores.size(); ++i) {
      std::vector<int> route =
          inward ? accelerator.route(offchip, layer.cores[i]) : accelerator.route(layer.cores[i], offchip);
      std::sort(route.begin(), route.end());
      route.erase(std::unique(route.begin(), route.end()), route.end());
      std::vector<int> both;
      if (i > 0) {
        std::set_intersection(links.begin(), links.end(), route.begin(), route.end(),
                              std::back_inserter(both));
      }
      links = i > 0 ? both : route;
    }
    return links;
  };
  std::vector<char> read(layers.size(), 0);
  for (const Dependency& dependency : graph.dependencies) {
    const int from = graph.nodes[dependency.from].layer;
    if (from != graph.nodes[dependency.to].layer) read[from] = 1;
  }
  std::vector<char> counted(graph.tensors.size(), 0);
  std::vector<double> busy(accelerator.links.size(), 0);
  for (std::size_t index = 0; index < graph.layers.size(); ++index) {
    const TiledLayer& layer = graph.layers[index];
    const auto streamed = [&](int operand) {
      const std::vector<CoreCost>& on = problem.costs()->layers[index].on;
      return std::any_of(on.begin(), on.end(), [&](const CoreCost& cost) {
        return std::find(cost.streamed.begin(), cost.streamed.end(), operand) != cost.streamed.end();
      });
    };
    std::vector<int> operands = layer.constants;
    if (!read[index]) operands.push_back(0);
    for (const int operand : operands) {
      if (streamed(operand)) continue;
      const std::vector<int> links = unavoidable(layers[index], operand != 0);
      for (int i = 0; i < layer.node_count; ++i) {
        const ComputationNode& node = graph.nodes[layer.first_node + i];
        const int tensor = node.tensors[operand];
        if (tensor < 0 || counted[tensor] || (operand == 0 && !node.final_output)) continue;
        counted[tensor] = 1;
        for (const int link : links) {
          if (std::isinf(accelerator.links[link].bandwidth)) continue;
          busy[link] += static_cast<double>(graph.tensors[tensor].bits) / accelerator.links[link].bandwidth;
        }
      }
    }
  }
  return busy.empty() ? 0 : *std::max_element(busy.begin(), busy.end());
}

}  // namespace

double latency_lower_bound(const ScheduleProblem& problem) {
  const ComputationNodeGraph& graph = *problem.graph();
  const std::vector<LayerFacts> layers = layer_facts(problem);
  const Paths paths = longest_paths(graph, layers);
  double bound = 0;
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    bound = std::max(bound, paths.before[node] + paths.from[node]);
  }
  bound = std::max(bound, load_bound(graph, layers, paths));
  return std::max(bound, traffic_bound(problem, layers));
}

}  // namespace zz::core
