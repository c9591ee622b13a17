#include "core/allocation/latency_bound.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/allocation/detail/traffic_bound.hpp"
#include "core/schedule/schedule_tables.hpp"

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
  const ScheduleProblem::Tables& tables = problem.tables();
  for (std::size_t layer = 0; layer < tables.graph->layers.size(); ++layer) {
    LayerFacts entry;
    entry.runtime = std::numeric_limits<double>::infinity();
    for (const CoreCost& cost : tables.costs->layers[layer].on) {
      entry.cores.push_back(cost.core);
      entry.runtime =
          std::min(entry.runtime, tables.node_costs[layer * tables.core_count + cost.core].runtime);
    }
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
  return std::max(bound, traffic_bound(problem.tables()));
}

}  // namespace zz::core
