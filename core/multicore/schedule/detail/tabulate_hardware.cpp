#include "core/multicore/schedule/detail/tabulate_hardware.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

#include "core/base/diagnostics.hpp"

namespace zz::core {
namespace {

/// Index of a memory operand; one that no memory holds is added.
int memory_operand_index(ScheduleProblem::Tables& tables, const std::string& name) {
  const auto found = std::find(tables.memory_operands.begin(), tables.memory_operands.end(), name);
  const auto index = static_cast<int>(found - tables.memory_operands.begin());
  if (found == tables.memory_operands.end()) tables.memory_operands.push_back(name);
  return index;
}

void tabulate_routes(ScheduleProblem::Tables& tables) {
  const MultiCoreAccelerator& accelerator = *tables.accelerator;
  tables.routes.resize(static_cast<std::size_t>(tables.core_count) * tables.core_count);
  for (int from = 0; from < tables.core_count; ++from) {
    for (int to = 0; to < tables.core_count; ++to) {
      CoreRoute& route = tables.routes[static_cast<std::size_t>(from) * tables.core_count + to];
      route.links = accelerator.route(from, to);
      route.narrowest = std::numeric_limits<double>::infinity();
      for (const int link : route.links) {
        route.narrowest = std::min(route.narrowest, accelerator.links[link].bandwidth);
        if (std::find(route.distinct.begin(), route.distinct.end(), link) == route.distinct.end()) {
          route.distinct.push_back(link);
        }
      }
    }
  }
}

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
  if (tables.options.rules.whole_elements_streamed) {
    entry.read_demand = cost.stream_read_elements;
    entry.write_demand = cost.stream_write_elements;
  } else if (entry.streamed) {
    ask_for_bits(tables, entry);
  }
  return entry;
}

/// Whether there are costs of nodes of each shape, on the cores that run the largest ones.
bool same_cores(const CoreCosts::OfLayer& costs, std::size_t shapes) {
  if (costs.smaller.size() + 1 < shapes) return false;
  return std::all_of(costs.smaller.begin(), costs.smaller.end(), [&](const CoreCosts::OfShape& shape) {
    return std::equal(costs.on.begin(), costs.on.end(), shape.on.begin(), shape.on.end(),
                      [](const CoreCost& a, const CoreCost& b) { return a.core == b.core; });
  });
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

void tabulate_hardware(ScheduleProblem::Tables& tables) {
  const MultiCoreAccelerator& accelerator = *tables.accelerator;
  if (!accelerator.offchip_core) {
    throw InputError(fmt::format(
        "accelerator '{}' has no off-chip memory, where the network's data could come "
        "from; {}",
        accelerator.name,
        accelerator.core_count() == 1
            ? "a schedule needs an accelerator of several cores, one of which is the off-chip "
              "memory; a network on one core alone is estimated by WorkloadStage and those below"
            : "expected 'offchip_core_id' with the core that is the memory"));
  }
  tables.offchip_core = *accelerator.offchip_core;
  tables.core_count = accelerator.core_count();
  tables.memory_count = static_cast<int>(accelerator.top_memories.size());
  for (const TopMemory& memory : accelerator.top_memories) {
    tables.memories.push_back({static_cast<double>(memory.size), static_cast<double>(memory.read_bandwidth),
                               static_cast<double>(memory.write_bandwidth), memory.read_cost,
                               memory.write_cost, memory.cores.front()});
    for (const std::string& operand : memory.operands) memory_operand_index(tables, operand);
  }
  for (const CutLayer& cut_layer : tables.graph->layers) {
    std::vector<int>& of_layer = tables.layer_operands.emplace_back();
    for (std::size_t i = 0; i < cut_layer.layer->operands.size(); ++i) {
      of_layer.push_back(
          memory_operand_index(tables, cut_layer.layer->memory_operand(static_cast<int>(i))));
    }
  }
  const std::size_t operands = tables.memory_operands.size();
  tables.tops.assign(static_cast<std::size_t>(tables.core_count) * operands, -1);
  for (int core = 0; core < tables.core_count; ++core) {
    for (const int memory : accelerator.cores_tops[core]) {
      for (const std::string& operand : accelerator.top_memories[memory].operands) {
        int& top = tables.tops[core * operands + memory_operand_index(tables, operand)];
        if (top < 0) top = memory;
      }
    }
  }
  for (const std::vector<int>& of_layer : tables.layer_operands) {
    for (const int operand : of_layer) {
      const std::string& name = tables.memory_operands[operand];
      if (name.empty() || tables.top(tables.offchip_core, operand) >= 0) continue;
      throw InputError(fmt::format(
          "the off-chip memory of accelerator '{}' does not hold memory operand '{}', which layers "
          "need from there",
          accelerator.name, name));
    }
  }
  tabulate_routes(tables);
}

void tabulate_costs(ScheduleProblem::Tables& tables) {
  const ComputationNodeGraph& graph = *tables.graph;
  std::vector<Diagnostic> problems;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    const std::size_t shapes = 1 + graph.layers[layer].smaller_pieces.size();
    const std::size_t row = tables.node_costs.size() / tables.core_count;
    tables.first_cost_row.push_back(static_cast<int>(row));
    tables.node_costs.resize((row + shapes) * tables.core_count);
    const Layer& entry = *graph.layers[layer].layer;
    if (layer >= tables.costs->layers.size() || tables.costs->layers[layer].on.empty()) {
      problems.push_back({Severity::error,
                          {},
                          fmt::format("layer {} '{}' has no core that can run it", entry.id, entry.name),
                          "name one in the mapping's 'core_allocation'"});
      continue;
    }
    const CoreCosts::OfLayer& costs = tables.costs->layers[layer];
    if (!same_cores(costs, shapes)) {
      problems.push_back(
          {Severity::error,
           {},
           fmt::format("layer {} '{}' has nodes of {} shapes, but not the costs of each on the same cores",
                       entry.id, entry.name, shapes),
           "the costs must be those of this graph"});
      continue;
    }
    for (std::size_t shape = 0; shape < shapes; ++shape)
      for (const CoreCost& cost : costs.of(static_cast<int>(shape)))
        tables.node_costs[(row + shape) * tables.core_count + cost.core] = node_cost(tables, layer, cost);
    for (const CoreCost& cost : costs.on) check_offchip_routes(tables, cost.core, problems);
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  for (const ComputationNode& node : graph.nodes)
    tables.cost_row_of.push_back(tables.first_cost_row[node.layer] + node.shape);
  tabulate_groups(tables);
}

}  // namespace zz::core
