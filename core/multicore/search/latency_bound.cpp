#include "core/multicore/search/latency_bound.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/multicore/search/detail/traffic_bound.hpp"

namespace zz::core {
namespace {

/// Cores as a sorted list.
using Cores = std::vector<int>;

/// By layer: those that can run it.
std::vector<Cores> candidates(const ScheduleProblem::Tables& tables) {
  std::vector<Cores> cores;
  for (const CoreCosts::OfLayer& layer : tables.costs->layers) {
    Cores& of_layer = cores.emplace_back();
    for (const CoreCost& cost : layer.on) of_layer.push_back(cost.core);
    std::sort(of_layer.begin(), of_layer.end());
  }
  return cores;
}

/// By node: cycles on the fastest core.
std::vector<double> shortest_runtimes(const ScheduleProblem::Tables& tables,
                                      const std::vector<Cores>& cores) {
  std::vector<double> runtimes(tables.node_count, std::numeric_limits<double>::infinity());
  for (int node = 0; node < tables.node_count; ++node)
    for (const int core : cores[tables.layer_of[node]])
      runtimes[node] = std::min(runtimes[node], tables.node_cost(node, core).runtime);
  return runtimes;
}

/// Of each node: the longest path before it and from it on (itself included), with the fastest cores.
struct Paths {
  std::vector<double> before, from;
};

Paths longest_paths(const ComputationNodeGraph& graph, const std::vector<double>& runtimes) {
  Paths paths{std::vector<double>(graph.nodes.size(), 0), std::vector<double>(graph.nodes.size(), 0)};
  for (const int node : graph.topological_order) {
    for (int i = graph.predecessor_begin[node]; i < graph.predecessor_begin[node + 1]; ++i) {
      const int other = graph.dependencies[graph.predecessors[i]].from;
      paths.before[node] = std::max(paths.before[node], paths.before[other] + runtimes[other]);
    }
  }
  for (auto node = graph.topological_order.rbegin(); node != graph.topological_order.rend(); ++node) {
    double after = 0;
    for (int i = graph.successor_begin[*node]; i < graph.successor_begin[*node + 1]; ++i) {
      after = std::max(after, paths.from[graph.dependencies[graph.successors[i]].to]);
    }
    paths.from[*node] = runtimes[*node] + after;
  }
  return paths;
}

/// Layers that are confined to a set of cores take at least their work divided by the number of cores,
/// after the shortest path to their first node and before the shortest path from their last one to the end.
double load_bound(const ComputationNodeGraph& graph, const std::vector<Cores>& cores_of_layer,
                  const std::vector<double>& runtimes, const Paths& paths) {
  std::set<Cores> sets(cores_of_layer.begin(), cores_of_layer.end());
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
      const Cores& cores = cores_of_layer[graph.nodes[i].layer];
      if (!std::includes(set.begin(), set.end(), cores.begin(), cores.end())) continue;
      work += runtimes[i];
      before = std::min(before, paths.before[i]);
      after = std::min(after, paths.from[i] - runtimes[i]);
    }
    if (work > 0) bound = std::max(bound, before + work / static_cast<double>(set.size()) + after);
  }
  std::map<std::pair<int, int>, double> groups;  // a group stays on one core
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const ComputationNode& node = graph.nodes[i];
    bound = std::max(bound, groups[{node.layer, node.group}] += runtimes[i]);
  }
  return bound;
}

}  // namespace

double latency_lower_bound(const ScheduleProblem& problem) {
  const ComputationNodeGraph& graph = *problem.graph();
  const std::vector<Cores> cores = candidates(problem.tables());
  const std::vector<double> runtimes = shortest_runtimes(problem.tables(), cores);
  const Paths paths = longest_paths(graph, runtimes);
  double bound = 0;
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    bound = std::max(bound, paths.before[node] + paths.from[node]);
  }
  bound = std::max(bound, load_bound(graph, cores, runtimes, paths));
  return std::max(bound, traffic_bound(problem.tables()));
}

}  // namespace zz::core
