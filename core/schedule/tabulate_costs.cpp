#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

#include "core/diagnostics/diagnostics.hpp"
#include "core/schedule/table_builders.hpp"

namespace zz::core {
namespace {

/// Demands are multiples of a power of two, so that links add and remove them without rounding.
double rounded_up(double demand) { return std::ceil(demand * 1024) / 1024; }

bool uses(const CoreRoute& route, int link) {
  return std::find(route.links.begin(), route.links.end(), link) != route.links.end();
}

/// Streams as many bits as move: the node takes as long as its links need for them.
void ask_for_bits(const ScheduleProblem::Tables& tables, NodeCost& entry) {
  const CoreCost& cost = *entry.cost;
  const CoreRoute& in = tables.route(tables.offchip_core, cost.core);
  const CoreRoute& out = tables.route(cost.core, tables.offchip_core);
  const auto last_for = [&](const CoreRoute& route) {
    double cycles = 0;
    for (const int link : route.distinct) {
      const double bits =
          (uses(in, link) ? cost.stream_read_bits : 0) + (uses(out, link) ? cost.stream_write_bits : 0);
      cycles = std::max(cycles, std::ceil(bits / tables.accelerator->links[link].bandwidth));
    }
    return cycles;
  };
  if (cost.stream_read_bits > 0) entry.runtime = std::max(entry.runtime, last_for(in));
  if (cost.stream_write_bits > 0) entry.runtime = std::max(entry.runtime, last_for(out));
  if (entry.runtime <= 0) return;
  const auto fits = [&] {
    const auto carried = [&](const CoreRoute& route) {
      return std::all_of(route.distinct.begin(), route.distinct.end(), [&](int link) {
        const double demand =
            (uses(in, link) ? entry.read_demand : 0) + (uses(out, link) ? entry.write_demand : 0);
        return demand <= tables.accelerator->links[link].bandwidth;
      });
    };
    return carried(in) && carried(out);
  };
  entry.read_demand = rounded_up(cost.stream_read_bits / entry.runtime);
  entry.write_demand = rounded_up(cost.stream_write_bits / entry.runtime);
  // Rounding up may ask a full link for a little more than it has.
  while (!fits()) {
    entry.runtime = std::ceil(entry.runtime * (1 + 1.0 / 1024)) + 1;
    entry.read_demand = rounded_up(cost.stream_read_bits / entry.runtime);
    entry.write_demand = rounded_up(cost.stream_write_bits / entry.runtime);
  }
}

NodeCost node_cost(const ScheduleProblem::Tables& tables, std::size_t layer, const CoreCost& cost) {
  NodeCost entry;
  entry.cost = &cost;
  entry.runtime = cost.runtime;
  entry.onchip_energy = cost.onchip_energy;
  entry.offchip_energy = cost.offchip_energy;
  for (const int operand : cost.streamed) {
    entry.streamed |= 1u << operand;
    entry.streamed_memory_operands.push_back(tables.layer_operands[layer][operand]);
  }
  if (tables.options.stream_compat) {
    entry.read_demand = cost.stream_read_elements;
    entry.write_demand = cost.stream_write_elements;
  } else if (entry.streamed) {
    ask_for_bits(tables, entry);
  }
  return entry;
}

void check_offchip_routes(const ScheduleProblem::Tables& tables, int core,
                          std::vector<Diagnostic>& problems) {
  const int offchip = tables.offchip_core;
  if (core == offchip) return;
  if (!tables.route(core, offchip).links.empty() && !tables.route(offchip, core).links.empty()) return;
  const std::string message =
      fmt::format("core {} is not connected in both directions with the off-chip core {}", core, offchip);
  for (const Diagnostic& problem : problems) {
    if (problem.message == message) return;
  }
  problems.push_back({Severity::error, {}, message, "give the accelerator links between them"});
}

void tabulate_groups(ScheduleProblem::Tables& tables) {
  const ComputationNodeGraph& graph = *tables.graph;
  tables.group_of.resize(graph.nodes.size());
  std::map<std::pair<int, int>, int> found;  // (layer, group): sorted as genes are
  for (const ComputationNode& node : graph.nodes) found.emplace(std::pair(node.layer, node.group), 0);
  for (auto& [key, index] : found) {
    index = static_cast<int>(tables.groups.size());
    const std::vector<CoreCost>& candidates = tables.costs->layers[key.first].on;
    NodeGroup group;
    if (candidates.size() == 1) {
      group.core = candidates.front().core;
    } else {
      group.gene = static_cast<int>(tables.genes.size());
      Gene gene{key.first, key.second, {}};
      for (const CoreCost& cost : candidates) gene.cores.push_back(cost.core);
      tables.genes.push_back(std::move(gene));
    }
    tables.groups.push_back(group);
  }
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    tables.group_of[node] = found.at({graph.nodes[node].layer, graph.nodes[node].group});
  }
}

}  // namespace

void tabulate_costs(ScheduleProblem::Tables& tables) {
  const ComputationNodeGraph& graph = *tables.graph;
  std::vector<Diagnostic> problems;
  tables.node_costs.resize(graph.layers.size() * tables.core_count);
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (layer >= tables.costs->layers.size() || tables.costs->layers[layer].on.empty()) {
      const Layer& entry = *graph.layers[layer].layer;
      problems.push_back({Severity::error,
                          {},
                          fmt::format("layer {} '{}' has no core that can run it", entry.id, entry.name),
                          "name one in the mapping's 'core_allocation'"});
      continue;
    }
    for (const CoreCost& cost : tables.costs->layers[layer].on) {
      tables.node_costs[layer * tables.core_count + cost.core] = node_cost(tables, layer, cost);
      check_offchip_routes(tables, cost.core, problems);
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  tabulate_groups(tables);
}

}  // namespace zz::core
