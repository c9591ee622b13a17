#include "core/multicore/graph/detail/piece_tensors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/multicore/graph/detail/piece_intervals.hpp"

namespace zz::core {
namespace {

/// The pieces into which the pieces of a layer divide an operand, numbered by mixed radix over the distinct
/// windows along each axis.
class Pieces {
 public:
  Pieces(const CutLayer& cut_layer, int operand, const Rules& rules) {
    for (PieceIntervals& intervals : piece_intervals(cut_layer, operand, rules)) {
      if (intervals.movers.empty())
        fixed_elements_ *= elements(intervals.at(0));
      else
        add_axis(std::move(intervals));
    }
    tensor_of_piece_.assign(count_, -1);
  }

  /// The tensor of the piece at the counters; -1 when it has none yet.
  int& tensor_at(const PieceCounters& counters) {
    std::size_t piece = 0;
    for (const Axis& axis : axes_) piece += axis.number[axis.intervals.position(counters)];
    return tensor_of_piece_[piece];
  }

  std::int64_t elements_at(const PieceCounters& counters) const {
    std::int64_t product = fixed_elements_;
    for (const Axis& axis : axes_)
      product *= elements(axis.intervals.at(axis.intervals.position(counters)));
    return product;
  }

 private:
  struct Axis {
    PieceIntervals intervals;
    std::vector<std::size_t> number;  ///< [position]: among the distinct ones, times the weight of the axis
  };

  /// A piece is moved and stored with the gaps in it.
  static std::int64_t elements(std::span<const Range> intervals) {
    return intervals.empty() ? 0 : intervals.back().high - intervals.front().low;
  }

  /// Windows that two loops of a relation move may coincide.
  void add_axis(PieceIntervals&& intervals) {
    const auto before = [&](int a, int b) {
      const std::span<const Range> left = intervals.at(a), right = intervals.at(b);
      return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end(),
                                          [](const Range& x, const Range& y) {
                                            return std::pair(x.low, x.high) < std::pair(y.low, y.high);
                                          });
    };
    std::vector<int> sorted(intervals.position_count());
    std::iota(sorted.begin(), sorted.end(), 0);
    if (!std::is_sorted(sorted.begin(), sorted.end(), before))
      std::sort(sorted.begin(), sorted.end(), before);
    std::vector<std::size_t> number(sorted.size());
    std::size_t distinct = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i > 0 && before(sorted[i - 1], sorted[i])) ++distinct;
      number[sorted[i]] = distinct * count_;
    }
    count_ *= distinct + 1;
    axes_.push_back({std::move(intervals), std::move(number)});
  }

  std::vector<Axis> axes_;  ///< that some outer loop moves along
  std::int64_t fixed_elements_ = 1;
  std::size_t count_ = 1;
  std::vector<int> tensor_of_piece_;
};

std::int64_t iterations_of_reuse(const CutLayer& cut_layer, int operand) {
  std::int64_t iterations = 1;
  for (const NodeLoop& outer : cut_layer.outer_loops)
    if (is_irrelevant(*cut_layer.layer, operand, outer.loop)) iterations *= outer.count;
  return iterations;
}

/// Of each piece the same share lies off chip: that of the data, which enlarged loops do not change.
std::int64_t offchip_part(const CutLayer& cut_layer, int operand, std::int64_t bits) {
  double elements = 1;
  for (const PieceAxis& axis : axes_of_operand(cut_layer, operand))
    elements *= static_cast<double>(axis.extent);
  const double share = static_cast<double>(cut_layer.layer->operands[operand].offchip_elements) / elements;
  return std::min(bits, static_cast<std::int64_t>(std::llround(static_cast<double>(bits) * share)));
}

}  // namespace

void add_piece_tensors(ComputationNodeGraph& graph, int layer_index, const Rules& rules) {
  const CutLayer& cut_layer = graph.layers[layer_index];
  const Layer& layer = *cut_layer.layer;
  const int operands = std::min(static_cast<int>(layer.operands.size()), most_operands);
  std::vector<Pieces> pieces;
  std::vector<std::int64_t> bits_per_element;
  for (int operand = 0; operand < operands; ++operand) {
    pieces.emplace_back(cut_layer, operand, rules);
    const bool finished = operand == 0 && layer.final_output_precision > 0;
    bits_per_element.push_back(finished ? layer.final_output_precision : layer.operands[operand].precision);
  }
  PieceCounters counters(cut_layer);
  for (int sub_id = 0; sub_id < cut_layer.node_count; ++sub_id, counters.advance()) {
    ComputationNode& node = graph.nodes[cut_layer.first_node + sub_id];
    for (int operand = 0; operand < operands; ++operand) {
      int& tensor = pieces[operand].tensor_at(counters);
      const bool in_part = operand > 0 && layer.operands[operand].offchip_elements > 0;
      const bool constant = in_part || (operand > 0 && layer.operands[operand].constant);
      if (tensor < 0) {
        tensor = static_cast<int>(graph.tensors.size());
        std::int64_t bits = pieces[operand].elements_at(counters) * bits_per_element[operand];
        if (in_part) bits = offchip_part(cut_layer, operand, bits);
        const std::int64_t uses = !constant               ? -1
                                  : rules.padding_is_data ? iterations_of_reuse(cut_layer, operand)
                                                          : 0;
        graph.tensors.push_back({layer_index, operand, cut_layer.first_node + sub_id, bits, uses});
      }
      node.tensors[operand] = tensor;
      if (constant && !rules.padding_is_data) ++graph.tensors[tensor].base_priority;
    }
  }
}

void set_output_priorities(ComputationNodeGraph& graph, const Rules& rules) {
  for (const ComputationNode& node : graph.nodes) graph.tensors[node.tensors[0]].base_priority = 0;
  std::vector<int> counted_for(graph.nodes.size(), -1);
  for (const int node : graph.topological_order) {
    std::int64_t readers = 0;
    for (int i = graph.successor_begin[node]; i < graph.successor_begin[node + 1]; ++i) {
      const int reader = graph.dependencies[graph.successors[i]].to;
      if (graph.nodes[reader].layer == graph.nodes[node].layer || counted_for[reader] == node) continue;
      counted_for[reader] = node;
      ++readers;
    }
    std::int64_t& uses = graph.tensors[graph.nodes[node].tensors[0]].base_priority;
    uses = rules.partial_sums_unordered ? readers : uses + readers;
  }
}

}  // namespace zz::core
