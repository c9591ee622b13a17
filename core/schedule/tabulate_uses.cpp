#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/schedule/table_builders.hpp"

namespace zz::core {
namespace {

using Tables = ScheduleProblem::Tables;

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

void tabulate_uses(Tables& tables) {
  const std::vector<Use> uses = collect_uses(tables);
  tabulate_needs(tables, uses, tabulate_readers(tables, uses));
  find_prefetches(tables);
}

}  // namespace zz::core
