#include "core/multicore/schedule/detail/tabulate_graph.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <tuple>

#include "core/base/diagnostics.hpp"
#include "core/multicore/schedule/detail/ready_list.hpp"

namespace zz::core {
namespace {

using Tables = ScheduleProblem::Tables;

void rank_nodes(Tables& tables) {
  const ComputationNodeGraph& graph = *tables.graph;
  tables.rank_of.assign(graph.nodes.size(), -1);
  if (tables.options.order.empty()) {
    // Nodes are sorted by layer and sub id.
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      tables.rank_of[i] = static_cast<int>(graph.nodes.size() - 1 - i);
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
  uses.reserve(graph.dependencies.size() + graph.nodes.size());
  std::vector<int> inputs;
  for (int node = 0; node < tables.node_count; ++node) {
    const ComputationNode& entry = graph.nodes[node];
    for (const int operand : graph.layers[entry.layer].constants) {
      const int tensor = entry.tensors[operand];
      if (tensor < 0) continue;
      uses.push_back({node, tensor, operand, tables.layer_operands[entry.layer][operand],
                      graph.tensors[tensor].base_priority});
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
  std::vector<int> order(uses.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int use) {
    return std::tuple(uses[use].tensor, tables.group_of[uses[use].node], uses[use].memory_operand);
  };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
  std::vector<int> reader_of(uses.size());
  tables.readers.reserve(tables.tensor_count, uses.size());
  std::size_t next = 0;
  for (int tensor = 0; tensor < tables.tensor_count; ++tensor) {
    int before = -1;
    for (; next < order.size() && uses[order[next]].tensor == tensor; ++next) {
      const Use& use = uses[order[next]];
      const bool more = before >= 0 && key(before) == key(order[next]);
      before = order[next];
      if (!more) {
        tables.readers.entries.push_back({tables.group_of[use.node], use.memory_operand, use.count});
      } else if (tables.is_output[tensor]) {
        tables.readers.entries.back().uses += use.count;
      }
      reader_of[order[next]] = static_cast<int>(tables.readers.entries.size()) - 1;
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
  for (std::size_t i = 0; i < needs.size(); ++i) {
    for (std::size_t j = i + 1; j < needs.size(); ++j) {
      if (tables.tensor_bits[needs[j].tensor] != tables.tensor_bits[needs[i].tensor]) break;
      if (needs[i].tensor == needs[j].tensor && tables.memory_operands[needs[j].memory_operand] <
                                                    tables.memory_operands[needs[i].memory_operand]) {
        std::swap(needs[i], needs[j]);
      }
    }
  }
}

void tabulate_needs(Tables& tables, const std::vector<Use>& uses, const std::vector<int>& reader_of) {
  tables.needs.reserve(tables.node_count, uses.size());
  std::vector<NeededTensor> needs;
  std::size_t next = 0;
  for (int node = 0; node < tables.node_count; ++node) {
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

}  // namespace

void tabulate_graph(Tables& tables) {
  const ComputationNodeGraph& graph = *tables.graph;
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
  }
  rank_nodes(tables);
  tabulate_successors(tables);
  find_results(tables);
  tabulate_consumers(tables);
  find_initial_tensors(tables);
  std::vector<int> waiting;
  order_by_rank(tables.successors, tables.predecessor_count, tables.rank_of, waiting,
                tables.default_sequence);
}

void tabulate_uses(Tables& tables) {
  const std::vector<Use> uses = collect_uses(tables);
  tabulate_needs(tables, uses, tabulate_readers(tables, uses));
  find_prefetches(tables);
}

}  // namespace zz::core
