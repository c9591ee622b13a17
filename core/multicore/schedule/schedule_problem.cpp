#include "core/multicore/schedule/schedule_problem.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/multicore/graph/samples.hpp"
#include "core/multicore/schedule/detail/ready_list.hpp"

namespace zz::core {
namespace {

using Tables = ScheduleProblem::Tables;

// Four steps build the tables of a problem: hardware, costs, graph, uses. Each needs the ones before; the
// first two throw InputError for what cannot be scheduled at all.

/// Index of a memory operand; one that no memory holds is added.
int memory_operand_index(Tables& tables, const std::string& name) {
  const auto found = std::find(tables.memory_operands.begin(), tables.memory_operands.end(), name);
  const auto index = static_cast<int>(found - tables.memory_operands.begin());
  if (found == tables.memory_operands.end()) tables.memory_operands.push_back(name);
  return index;
}

void tabulate_routes(Tables& tables) {
  if (tables.routes) return;
  const MultiCoreAccelerator& accelerator = *tables.accelerator;
  auto routes = std::make_shared<std::vector<CoreRoute>>(static_cast<std::size_t>(tables.core_count) *
                                                         tables.core_count);
  for (int from = 0; from < tables.core_count; ++from) {
    for (int to = 0; to < tables.core_count; ++to) {
      CoreRoute& route = (*routes)[static_cast<std::size_t>(from) * tables.core_count + to];
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
  tables.routes = std::move(routes);
}

/// Demands are multiples of a power of two, so that links add and remove them without rounding.
double rounded_up(double demand) { return std::ceil(demand * 1024) / 1024; }

bool uses(const CoreRoute& route, int link) {
  return std::find(route.links.begin(), route.links.end(), link) != route.links.end();
}

/// Streams as many bits as move: the node takes as long as its links need for them.
void ask_for_bits(const Tables& tables, NodeCost& entry) {
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

NodeCost node_cost(const Tables& tables, std::size_t layer, const CoreCost& cost) {
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

/// True if there are costs of nodes of each shape, on the cores that run the largest ones.
bool same_cores(const CoreCosts::OfLayer& costs, std::size_t shapes) {
  if (costs.smaller.size() + 1 < shapes) return false;
  return std::all_of(costs.smaller.begin(), costs.smaller.end(), [&](const CoreCosts::OfShape& shape) {
    return std::equal(costs.on.begin(), costs.on.end(), shape.on.begin(), shape.on.end(),
                      [](const CoreCost& a, const CoreCost& b) { return a.core == b.core; });
  });
}

void check_offchip_routes(const Tables& tables, int core, std::vector<Diagnostic>& problems) {
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

void tabulate_groups(Tables& tables) {
  const ComputationNodeGraph& graph = *tables.graph;
  tables.group_of.resize(graph.nodes.size());
  std::map<std::pair<int, int>, int> found;  // (layer, group): sorted as genes are
  for (const ComputationNode& node : graph.nodes) found.emplace(std::pair(node.layer, node.group), 0);
  for (auto& [key, index] : found) {
    index = static_cast<int>(tables.groups.size());
    const std::vector<CoreCost>& candidates = tables.costs->layers[key.first].on;
    NodeGroup group;
    group.layer = key.first;
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
    end_if_interrupted();
    tables.group_of[node] = found.at({graph.nodes[node].layer, graph.nodes[node].group});
  }
}

/// Memories, memory operands and routes between cores.
void tabulate_hardware(Tables& tables) {
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

/// Costs of nodes on cores, groups and genes. Needs the tables of the hardware.
void tabulate_costs(Tables& tables) {
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

void rank_nodes(Tables& tables) {
  const ComputationNodeGraph& graph = *tables.graph;
  tables.rank_of.assign(graph.nodes.size(), -1);
  if (tables.options.order.empty()) {
    // Nodes are sorted by layer and sub id. The deepest layer comes first, but earlier samples before later
    // ones.
    int next = 0;
    for (std::size_t layer = graph.layers.size(); layer-- > 0;) {
      const int pieces = graph.pieces(static_cast<int>(layer)), first = graph.layers[layer].first_node;
      for (int repeat = 0; repeat < graph.repeats(static_cast<int>(layer)); ++repeat)
        for (int turn = pieces; turn-- > 0;)
          tables.rank_of[first + repeat * pieces + tables.lockstep[layer].piece(turn)] = next++;
    }
    return;
  }
  int next_rank = 0;
  for (const auto& [layer_id, sub_id] : tables.options.order) {
    const int layer = graph.layer_index(layer_id);
    if (layer < 0 || sub_id < 0 || sub_id >= graph.layers[layer].node_count) {
      throw InputError(
          fmt::format("the scheduling order names node ({}, {}), which does not exist", layer_id, sub_id));
    }
    int& rank = tables.rank_of[graph.layers[layer].first_node + sub_id];
    if (rank >= 0) {
      throw InputError(fmt::format("the scheduling order names node ({}, {}) twice", layer_id, sub_id));
    }
    rank = next_rank++;
  }
  const auto left_out = std::find(tables.rank_of.begin(), tables.rank_of.end(), -1);
  if (left_out != tables.rank_of.end()) {
    const int node = static_cast<int>(left_out - tables.rank_of.begin());
    throw InputError(
        fmt::format("the scheduling order does not name node ({}, {}); expected each of the {} "
                    "nodes once",
                    graph.layer_id(node), graph.nodes[node].sub_id, graph.nodes.size()));
  }
}

/// Nodes that add to the same outputs run one after the other, and their readers wait for the last one.
std::vector<std::pair<int, int>> reduction_order(const Tables& tables) {
  std::vector<std::pair<int, int>> order;
  std::vector<int> latest(tables.graph->tensors.size(), -1);
  for (int node = 0; node < tables.node_count; ++node) {
    const int output = tables.output_of[node];
    if (output < 0) continue;
    if (latest[output] >= 0) order.emplace_back(latest[output], node);
    latest[output] = node;
  }
  return order;
}

void tabulate_successors(Tables& tables) {
  const ComputationNodeGraph& graph = *tables.graph;
  const std::size_t nodes = graph.nodes.size();
  std::vector<std::pair<int, int>> edges;
  edges.reserve(graph.dependencies.size());
  for (const Dependency& dependency : graph.dependencies)
    edges.emplace_back(dependency.from, dependency.to);
  if (!tables.options.rules.partial_sums_unordered) {
    for (const auto& edge : reduction_order(tables)) edges.push_back(edge);
  }
  tables.predecessor_count.assign(nodes, 0);
  std::vector<int>& begin = tables.successors.begin;
  begin.assign(nodes + 1, 0);
  for (const auto& [from, to] : edges) {
    ++begin[from + 1];
    ++tables.predecessor_count[to];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  tables.successors.entries.resize(edges.size());
  std::vector<int> next(begin.begin(), begin.end() - 1);
  for (const auto& [from, to] : edges) tables.successors.entries[next[from]++] = to;
}

/// A layer with a node that nobody waits for writes all its finished outputs off-chip.
void find_results(Tables& tables) {
  const ComputationNodeGraph& graph = *tables.graph;
  std::vector<char> read(graph.nodes.size(), 0), writes(graph.layers.size(), 0);
  for (const Dependency& dependency : graph.dependencies) read[dependency.from] = 1;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    // A partial sum that nobody reads is no result.
    if (!read[i] && (tables.options.rules.partial_sums_unordered || graph.nodes[i].final_output)) {
      writes[graph.nodes[i].layer] = 1;
    }
  }
  tables.writes_result.assign(graph.nodes.size(), 0);
  tables.is_result.assign(graph.tensors.size(), 0);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const ComputationNode& node = graph.nodes[i];
    if (!node.final_output || !writes[node.layer]) continue;
    tables.writes_result[i] = 1;
    if (tables.output_of[i] >= 0) tables.is_result[tables.output_of[i]] = 1;
  }
}

void tabulate_consumers(Tables& tables) {
  const ComputationNodeGraph& graph = *tables.graph;
  tables.consumers.reserve(graph.tensors.size(), graph.dependencies.size());
  for (std::size_t tensor = 0; tensor < graph.tensors.size(); ++tensor) {
    if (tables.is_output[tensor]) {
      const int producer = graph.tensors[tensor].first_node;
      for (int i = graph.successor_begin[producer]; i < graph.successor_begin[producer + 1]; ++i) {
        const int to = graph.dependencies[graph.successors[i]].to;
        if (graph.nodes[to].layer != graph.nodes[producer].layer) tables.consumers.entries.push_back(to);
      }
    }
    tables.consumers.end_row();
  }
}

void find_initial_tensors(Tables& tables) {
  const ComputationNodeGraph& graph = *tables.graph;
  std::vector<char> listed(graph.tensors.size(), 0);
  for (const int node : graph.node_order) {
    const ComputationNode& entry = graph.nodes[node];
    const std::vector<int>& constants = graph.layers[entry.layer].constants;
    const bool source = graph.predecessor_begin[node] == graph.predecessor_begin[node + 1];
    for (int operand = 1; operand < most_operands; ++operand) {
      const int tensor = entry.tensors[operand];
      const bool constant = std::find(constants.begin(), constants.end(), operand) != constants.end();
      if (tensor < 0 || listed[tensor] || !(constant || source)) continue;
      listed[tensor] = 1;
      tables.initial.push_back(tensor);
    }
  }
}

/// A node reads a tensor under one of its operands.
struct Use {
  int node = 0, tensor = 0, operand = 0, memory_operand = 0;
  std::int64_t count = 1;  ///< see TensorReader::uses
};

/// All uses, by node and in the order of needs before they are sorted by size.
std::vector<Use> collect_uses(Tables& tables) {
  const ComputationNodeGraph& graph = *tables.graph;
  std::vector<Use> uses;
  const bool by_core = !tables.options.rules.repeated_transfers_free;
  uses.reserve(graph.dependencies.size() + graph.nodes.size());
  std::vector<int> inputs;
  for (int node = 0; node < tables.node_count; ++node) {
    end_if_interrupted();
    const ComputationNode& entry = graph.nodes[node];
    for (const int operand : graph.layers[entry.layer].constants) {
      const int tensor = entry.tensors[operand];
      if (tensor < 0) continue;
      uses.push_back({node, tensor, operand, tables.layer_operands[entry.layer][operand],
                      by_core ? 1 : graph.tensors[tensor].base_priority});
    }
    inputs.clear();
    for (int i = graph.predecessor_begin[node]; i < graph.predecessor_begin[node + 1]; ++i) {
      const Dependency& dependency = graph.dependencies[graph.predecessors[i]];
      const ComputationNode& from = graph.nodes[dependency.from];
      if (from.layer == entry.layer || dependency.operand < 0 || from.tensors[0] < 0) continue;
      inputs.push_back(graph.predecessors[i]);
    }
    std::stable_sort(inputs.begin(), inputs.end(), [&](int a, int b) {
      return graph.nodes[graph.dependencies[a].from].layer < graph.nodes[graph.dependencies[b].from].layer;
    });
    for (const int input : inputs) {
      const Dependency& dependency = graph.dependencies[input];
      uses.push_back({node, graph.nodes[dependency.from].tensors[0], dependency.operand,
                      tables.layer_operands[entry.layer][dependency.operand], 1});
    }
  }
  return uses;
}

/// Fills `readers`; returns the reader of each use.
std::vector<int> tabulate_readers(Tables& tables, const std::vector<Use>& uses) {
  // Tensor by tensor, so that an interruption waits for the sorting of one.
  CompressedRows<int> of_tensor;
  of_tensor.begin.assign(tables.tensor_count + 1, 0);
  for (const Use& use : uses) ++of_tensor.begin[use.tensor + 1];
  std::partial_sum(of_tensor.begin.begin(), of_tensor.begin.end(), of_tensor.begin.begin());
  of_tensor.entries.resize(uses.size());
  std::vector<int> next(of_tensor.begin.begin(), of_tensor.begin.end() - 1);
  for (std::size_t use = 0; use < uses.size(); ++use)
    of_tensor.entries[next[uses[use].tensor]++] = static_cast<int>(use);
  const auto key = [&](int use) {
    return std::pair(tables.group_of[uses[use].node], uses[use].memory_operand);
  };
  std::vector<int> reader_of(uses.size()), order;
  tables.readers.reserve(tables.tensor_count, uses.size());
  for (int tensor = 0; tensor < tables.tensor_count; ++tensor) {
    end_if_interrupted();
    order.assign(of_tensor[tensor].begin(), of_tensor[tensor].end());
    std::sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Use& use = uses[order[i]];
      if (i == 0 || key(order[i - 1]) != key(order[i])) {
        tables.readers.entries.push_back({tables.group_of[use.node], use.memory_operand, use.count});
      } else if (tables.is_output[tensor] || !tables.options.rules.repeated_transfers_free) {
        tables.readers.entries.back().uses += use.count;
      }
      reader_of[order[i]] = static_cast<int>(tables.readers.entries.size()) - 1;
    }
    tables.readers.end_row();
  }
  return reader_of;
}

/// Small tensors are fetched first. One that is needed twice comes by the name of the memory operand.
void sort_needs(const Tables& tables, std::vector<NeededTensor>& needs) {
  std::stable_sort(needs.begin(), needs.end(), [&](const NeededTensor& a, const NeededTensor& b) {
    return tables.tensor_bits[a.tensor] < tables.tensor_bits[b.tensor];
  });
  std::vector<std::size_t> by_tensor(needs.size());
  std::iota(by_tensor.begin(), by_tensor.end(), std::size_t{0});
  std::stable_sort(by_tensor.begin(), by_tensor.end(),
                   [&](std::size_t a, std::size_t b) { return needs[a].tensor < needs[b].tensor; });
  for (std::size_t i = 0; i < needs.size(); ++i) {
    NeededTensor& need = needs[by_tensor[i]];
    for (std::size_t j = i + 1; j < needs.size() && needs[by_tensor[j]].tensor == need.tensor; ++j) {
      NeededTensor& other = needs[by_tensor[j]];
      if (tables.memory_operands[other.memory_operand] < tables.memory_operands[need.memory_operand])
        std::swap(need, other);
    }
  }
}

void tabulate_needs(Tables& tables, const std::vector<Use>& uses, const std::vector<int>& reader_of) {
  tables.needs.reserve(tables.node_count, uses.size());
  std::vector<NeededTensor> needs;
  std::size_t next = 0;
  for (int node = 0; node < tables.node_count; ++node) {
    end_if_interrupted();
    needs.clear();
    for (; next < uses.size() && uses[next].node == node; ++next) {
      needs.push_back({uses[next].tensor, uses[next].operand, uses[next].memory_operand, reader_of[next]});
    }
    sort_needs(tables, needs);
    tables.needs.entries.insert(tables.needs.entries.end(), needs.begin(), needs.end());
    tables.needs.end_row();
  }
}

void find_prefetches(Tables& tables) {
  const ComputationNodeGraph& graph = *tables.graph;
  const std::vector<std::string>& names = tables.options.prefetch;
  if (names.empty()) return;
  for (const int node : graph.node_order) {
    const Layer& layer = *graph.layers[graph.nodes[node].layer].layer;
    const std::size_t first = tables.prefetches.size();
    for (const NeededTensor& need : tables.needs[node]) {
      const bool named =
          std::find(names.begin(), names.end(), layer.operands[need.operand].name) != names.end();
      if (named && !tables.is_output[need.tensor]) tables.prefetches.push_back({node, need});
    }
    std::stable_sort(tables.prefetches.begin() + first, tables.prefetches.end(),
                     [](const auto& a, const auto& b) { return a.what.operand < b.what.operand; });
  }
}

/// Pieces of layers with a loop in lockstep: those that differ in this loop alone come one after the other.
void tabulate_lockstep(Tables& tables) {
  for (const CutLayer& cut_layer : tables.graph->layers) {
    Tables::Lockstep& lockstep = tables.lockstep.emplace_back();
    int stride = 1;
    for (const NodeLoop& outer : cut_layer.outer_loops) {
      if (outer.lockstep) lockstep = {stride, static_cast<int>(outer.count)};
      stride *= static_cast<int>(outer.count);
    }
  }
}

/// Nodes in lockstep are taken together, when the predecessors of all of them are scheduled.
void join_lockstep(Tables& tables) {
  for (int node = 0; node < tables.node_count; ++node) {
    const int first = tables.first_in_lockstep(node);
    if (first == node) continue;
    tables.predecessor_count[first] += tables.predecessor_count[node];
    tables.predecessor_count[node] = -1;
  }
}

void tabulate_graph(Tables& tables) {
  const ComputationNodeGraph& graph = *tables.graph;
  tabulate_lockstep(tables);
  tables.node_count = static_cast<int>(graph.nodes.size());
  tables.tensor_count = static_cast<int>(graph.tensors.size());
  for (const ComputationNode& node : graph.nodes) {
    tables.layer_of.push_back(node.layer);
    tables.output_of.push_back(node.tensors[0]);
  }
  for (const PieceTensor& tensor : graph.tensors) {
    tables.tensor_bits.push_back(static_cast<double>(tensor.bits));
    tables.tensor_operand.push_back(tables.layer_operands[tensor.layer][tensor.operand]);
    tables.is_output.push_back(tensor.operand == 0);
    const Layer& layer = *graph.layers[tensor.layer].layer;
    tables.is_shared.push_back(tensor.operand != 0 && layer.operands[tensor.operand].constant &&
                               shared_by_samples(layer, tensor.operand));
  }
  // Each of these takes a second at most, however large the graph.
  for (void (*const tabulate)(Tables&) : {rank_nodes, tabulate_successors, join_lockstep, find_results,
                                          tabulate_consumers, find_initial_tensors}) {
    end_if_interrupted();
    tabulate(tables);
  }
  std::vector<int> waiting;
  SampleWindow all_samples;
  order_by_rank(tables, tables.rank_of, all_samples, waiting, tables.default_sequence);
}

void tabulate_uses(Tables& tables) {
  const std::vector<Use> uses = collect_uses(tables);
  tabulate_needs(tables, uses, tabulate_readers(tables, uses));
  find_prefetches(tables);
}

}  // namespace

ScheduleProblem::ScheduleProblem(std::shared_ptr<const MultiCoreAccelerator> accelerator,
                                 std::shared_ptr<const ComputationNodeGraph> graph,
                                 std::shared_ptr<const CoreCosts> costs, ScheduleOptions options,
                                 CoreRoutes routes) {
  auto tables = std::make_unique<Tables>();
  tables->routes = std::move(routes);
  tables->accelerator = std::move(accelerator);
  tables->graph = std::move(graph);
  tables->costs = std::move(costs);
  tables->options = std::move(options);
  tabulate_hardware(*tables);
  tabulate_costs(*tables);
  tabulate_graph(*tables);
  tabulate_uses(*tables);
  tables_ = std::move(tables);
}

ScheduleProblem::~ScheduleProblem() = default;

const std::vector<Gene>& ScheduleProblem::genes() const { return tables_->genes; }

const std::shared_ptr<const MultiCoreAccelerator>& ScheduleProblem::accelerator() const {
  return tables_->accelerator;
}

const std::shared_ptr<const ComputationNodeGraph>& ScheduleProblem::graph() const { return tables_->graph; }

const std::shared_ptr<const CoreCosts>& ScheduleProblem::costs() const { return tables_->costs; }

const ScheduleOptions& ScheduleProblem::options() const { return tables_->options; }

}  // namespace zz::core
