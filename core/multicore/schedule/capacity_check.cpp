#include "core/multicore/schedule/capacity_check.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/hardware/memory_hierarchy.hpp"
#include "core/multicore/graph/samples.hpp"

namespace zz::core {
namespace {

bool is_output(int operand) { return operand == 0; }

/// Bits of an operand of one node of a layer, where no tensor has more.
std::int64_t bits_of_piece(const CutLayer& layer, int operand, const Rules& rules) {
  return layer.piece->operand_bits(operand, rules) *
         (shared_by_samples(*layer.piece, operand) ? 1 : layer.samples);
}

/// Bits of the tensor of an operand of a node, data of the producers not counted.
std::int64_t own_bits(const ComputationNodeGraph& graph, const ComputationNode& node, int operand) {
  const int tensor = node.tensors[operand];
  return tensor < 0 ? 0 : graph.tensors[tensor].bits;
}

/// Bits of the part of an operand from other layers that lies off chip.
std::int64_t offchip_bits(const ComputationNodeGraph& graph, const ComputationNode& node, int operand) {
  const bool in_part = graph.layers[node.layer].layer->operands[operand].offchip_elements > 0;
  const int tensor = node.tensors[operand];
  return in_part && tensor >= 0 ? graph.tensors[tensor].bits : 0;
}

/// Bits of the distinct tensors that producers in other layers make for an operand of the node.
std::int64_t incoming_bits(const ComputationNodeGraph& graph, int node, int operand,
                           std::vector<int>& tensors) {
  tensors.clear();
  for (int i = graph.predecessor_begin[node]; i < graph.predecessor_begin[node + 1]; ++i) {
    const Dependency& dependency = graph.dependencies[graph.predecessors[i]];
    if (dependency.operand != operand) continue;
    const int tensor = graph.nodes[dependency.from].tensors[0];
    if (tensor >= 0) tensors.push_back(tensor);
  }
  std::sort(tensors.begin(), tensors.end());
  tensors.erase(std::unique(tensors.begin(), tensors.end()), tensors.end());
  std::int64_t bits = 0;
  for (const int tensor : tensors) bits += graph.tensors[tensor].bits;
  return bits;
}

std::vector<OperandBits> largest_needs(const ComputationNodeGraph& graph, const Rules& rules) {
  std::vector<OperandBits> needs;
  std::vector<int> tensors;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    const CutLayer& layer = graph.layers[i];
    const int operands = static_cast<int>(layer.piece->operands.size());
    OperandBits& largest = needs.emplace_back();
    for (int operand = 0; operand < operands; ++operand)
      largest.push_back(bits_of_piece(layer, operand, rules));
    // All samples need the same.
    const int end = layer.first_node + graph.pieces(static_cast<int>(i));
    for (int node = layer.first_node; node < end; ++node) {
      for (int operand = 0; operand < operands; ++operand) {
        std::int64_t bits = own_bits(graph, graph.nodes[node], operand);
        if (!is_output(operand) && !layer.piece->operands[operand].constant)
          bits = std::max(bits, incoming_bits(graph, node, operand, tensors) +
                                    offchip_bits(graph, graph.nodes[node], operand));
        largest[operand] = std::max(largest[operand], bits);
      }
    }
  }
  return needs;
}

std::vector<OperandBits> needs_of_first_nodes(const ComputationNodeGraph& graph, const Rules& rules) {
  std::vector<int> first(graph.layers.size(), -1);
  for (const int node : graph.node_order)
    if (first[graph.nodes[node].layer] < 0) first[graph.nodes[node].layer] = node;
  std::vector<OperandBits> needs;
  for (std::size_t index = 0; index < graph.layers.size(); ++index) {
    const CutLayer& layer = graph.layers[index];
    const int node = first[index] < 0 ? layer.first_node : first[index];
    const bool has_predecessors = graph.predecessor_begin[node] < graph.predecessor_begin[node + 1];
    OperandBits& bits = needs.emplace_back();
    for (int operand = 0; operand < static_cast<int>(layer.piece->operands.size()); ++operand) {
      bits.push_back(layer.piece->operand_bits(operand, rules));
      if (is_output(operand) || layer.piece->operands[operand].constant || !has_predecessors) continue;
      bits.back() = 0;
      for (int i = graph.predecessor_begin[node]; i < graph.predecessor_begin[node + 1]; ++i) {
        const Dependency& dependency = graph.dependencies[graph.predecessors[i]];
        if (dependency.operand == operand) bits.back() += dependency.bits;
      }
    }
  }
  return needs;
}

/// Finds the operands that do not fit into one topmost memory.
class TopMemoryCheck {
 public:
  TopMemoryCheck(const Layer& piece, const Accelerator& core, const MemoryHierarchy& hierarchy,
                 const OperandBits& needs)
      : piece_(piece), core_(core), hierarchy_(hierarchy), needs_(needs) {}

  std::vector<int> left_out(int memory) const {
    std::vector<int> operands;
    for (const std::string& name : core_.memories[memory].operands) {
      const int operand = piece_.operand_assigned_to(name);
      const int index = hierarchy_.operand_index(name);
      if (operand >= 0 && hierarchy_.levels[index].back() == memory) operands.push_back(operand);
    }
    const std::int64_t size = core_.memories[memory].size;
    const auto kept_bits = [&](std::size_t kept) {
      return std::accumulate(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(kept),
                             std::int64_t{0},
                             [&](std::int64_t bits, int operand) { return bits + needs_[operand]; });
    };
    std::size_t kept = operands.size();
    if (kept_bits(kept) <= size) return {};
    std::stable_sort(operands.begin(), operands.end(), [&](int a, int b) { return needs_[a] < needs_[b]; });
    while (kept > 0 && kept_bits(kept) > size) --kept;
    while (kept > 0 && size - kept_bits(kept) < passing_bits(operands, kept)) --kept;
    return std::vector<int>(operands.begin() + static_cast<std::ptrdiff_t>(kept), operands.end());
  }

 private:
  /// Room for what the lowest memories hold of the operands from `kept` on: it passes through here.
  std::int64_t passing_bits(const std::vector<int>& operands, std::size_t kept) const {
    std::int64_t bits = 0;
    for (std::size_t i = kept; i < operands.size(); ++i) {
      const int index = hierarchy_.operand_index(piece_.memory_operand(operands[i]));
      const Memory& lowest = core_.memories[hierarchy_.levels[index].front()];
      bits += lowest.size * core_.instances(lowest);
    }
    return bits;
  }

  const Layer& piece_;
  const Accelerator& core_;
  const MemoryHierarchy& hierarchy_;
  const OperandBits& needs_;
};

}  // namespace

std::vector<OperandBits> capacity_needs(const ComputationNodeGraph& graph, const Rules& rules) {
  return rules.fit_by_first_node ? needs_of_first_nodes(graph, rules) : largest_needs(graph, rules);
}

std::vector<int> too_large_operands(const Layer& piece, const Accelerator& core, const OperandBits& needs) {
  const MemoryHierarchy hierarchy(core);
  std::vector<int> tops;
  for (const std::vector<int>& levels : hierarchy.levels) tops.push_back(levels.back());
  std::sort(tops.begin(), tops.end());
  tops.erase(std::unique(tops.begin(), tops.end()), tops.end());
  const TopMemoryCheck check(piece, core, hierarchy, needs);
  std::vector<int> too_large;
  for (const int memory : tops) {
    const std::vector<int> left_out = check.left_out(memory);
    too_large.insert(too_large.end(), left_out.begin(), left_out.end());
  }
  return too_large;
}

}  // namespace zz::core
