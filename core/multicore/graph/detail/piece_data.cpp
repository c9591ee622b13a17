#include "core/multicore/graph/detail/piece_data.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <string>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core {
namespace {

/// The windows of pieces along one axis as they are.
PieceIntervals windows(const CutLayer& cut_layer, const PieceAxis& axis) {
  std::vector<std::int64_t> nodes_per_step{1};
  for (const NodeLoop& outer : cut_layer.outer_loops)
    nodes_per_step.push_back(nodes_per_step.back() * outer.count);
  PieceIntervals result;
  result.extent = axis.extent;
  result.node_offset = {0};
  std::vector<std::int64_t> lows{axis.low};
  for (const PieceAxis::Mover& mover : axis.movers) {
    const std::size_t before = lows.size();
    result.movers.push_back({mover.outer_loop, static_cast<std::int64_t>(before)});
    for (std::int64_t v = 1; v < cut_layer.outer_loops[mover.outer_loop].count; ++v) {
      for (std::size_t i = 0; i < before; ++i) {
        lows.push_back(lows[i] + v * mover.step);
        result.node_offset.push_back(result.node_offset[i] +
                                     static_cast<int>(v * nodes_per_step[mover.outer_loop]));
      }
    }
  }
  for (const std::int64_t low : lows) {
    result.intervals.push_back({low, low + axis.width});
    result.begin.push_back(static_cast<int>(result.intervals.size()));
  }
  return result;
}

Range clipped(Range range, std::int64_t extent) {
  const std::int64_t low = std::clamp<std::int64_t>(range.low, 0, extent);
  return {low, std::clamp(range.high, low, extent)};
}

/// Iterations of a loop in each piece, those left out that only enlarge it.
PieceIntervals real_iterations(const CutLayer& cut_layer, int loop) {
  PieceIntervals result = windows(cut_layer, axis_of_loop(cut_layer, loop));
  for (Range& range : result.intervals) range = clipped(range, result.extent);
  return result;
}

/// The axis along which two others move together; `append` adds the elements of a position of each.
template <class Append>
PieceIntervals combined(const PieceIntervals& first, const PieceIntervals& second, std::int64_t extent,
                        Append append) {
  PieceIntervals result;
  result.extent = extent;
  result.movers = first.movers;
  for (const PieceIntervals::Mover& mover : second.movers)
    result.movers.push_back({mover.outer_loop, mover.weight * first.position_count()});
  for (int s = 0; s < second.position_count(); ++s) {
    for (int f = 0; f < first.position_count(); ++f) {
      result.node_offset.push_back(first.node_offset[f] + second.node_offset[s]);
      append(first.intervals[f], second.intervals[s], result.intervals);
      result.begin.push_back(static_cast<int>(result.intervals.size()));
    }
  }
  return result;
}

/// Counts what is listed of an axis, and refuses too much.
class ListedRanges {
 public:
  ListedRanges(const Layer& layer, std::string axis) : layer_(layer), axis_(std::move(axis)) {}

  void expect(std::int64_t a, std::int64_t b = 1) {
    end_if_interrupted();
    if (a > (most_ranges - listed_) / b) {
      throw InputError(fmt::format(
          "layer {} '{}' touches more than {} ranges of {} with gaps between, which is too many "
          "to follow",
          layer_.id, layer_.name, most_ranges, axis_));
    }
    listed_ += a * b;
  }

 private:
  // 16 bytes each. docs/limits.md names it.
  static constexpr std::int64_t most_ranges = 16'777'216;

  const Layer& layer_;
  std::string axis_;
  std::int64_t listed_ = 0;
};

/// stride * a + dilation * b - padding for all a and b, as far as there are such data.
void append_touched(const DimensionRelation& relation, Range a, Range b, ListedRanges& listed,
                    std::vector<Range>& to) {
  if (a.low == a.high || b.low == b.high) return;
  const auto value = [&](std::int64_t x, std::int64_t y) {
    return relation.stride * x + relation.dilation * y - relation.padding_low;
  };
  const std::int64_t a_count = a.high - a.low, b_count = b.high - b.low;
  const auto append = [&](std::int64_t first, std::int64_t last) {
    const Range range = clipped({first, last + 1}, relation.size);
    if (range.low < range.high) to.push_back(range);
  };
  // One range for each iteration of the loop with the longer steps, where the other one leaves no gaps.
  const bool a_dense = relation.stride == 1 || a_count == 1;
  const bool b_dense = relation.dilation == 1 || b_count == 1;
  const bool a_joins = relation.stride <= (b_count - 1) * relation.dilation + 1 || a_count == 1;
  const bool b_joins = relation.dilation <= (a_count - 1) * relation.stride + 1 || b_count == 1;
  if ((b_dense && a_joins) || (a_dense && b_joins)) {
    append(value(a.low, b.low), value(a.high - 1, b.high - 1));
  } else if (b_dense) {
    listed.expect(a_count);
    for (std::int64_t x = a.low; x < a.high; ++x) append(value(x, b.low), value(x, b.high - 1));
  } else if (a_dense) {
    listed.expect(b_count);
    for (std::int64_t y = b.low; y < b.high; ++y) append(value(a.low, y), value(a.high - 1, y));
  } else {
    listed.expect(a_count, b_count);
    std::vector<std::int64_t> elements;
    for (std::int64_t x = a.low; x < a.high; ++x)
      for (std::int64_t y = b.low; y < b.high; ++y) elements.push_back(value(x, y));
    std::sort(elements.begin(), elements.end());
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    for (std::size_t i = 0; i < elements.size();) {
      const std::size_t first = i++;
      while (i < elements.size() && elements[i] == elements[i - 1] + 1) ++i;
      append(elements[first], elements[i - 1]);
    }
  }
}

PieceIntervals touched_data(const CutLayer& cut_layer, const DimensionRelation& relation) {
  const auto iterations = [&](const std::string& name) {
    const int loop = cut_layer.layer->loop_index(name);
    return loop < 0 ? windows(cut_layer, {}) : real_iterations(cut_layer, loop);
  };
  ListedRanges listed(*cut_layer.layer, relation.data);
  return combined(
      iterations(relation.output_loop), iterations(relation.filter_loop), relation.size,
      [&](Range a, Range b, std::vector<Range>& to) { append_touched(relation, a, b, listed, to); });
}

/// The elements of groups and of channels within each, in the axis of all channels.
void append_channels(Range groups, Range channels, std::int64_t channels_per_group, ListedRanges& listed,
                     std::vector<Range>& to) {
  if (groups.low == groups.high || channels.low == channels.high) return;
  if (channels.low == 0 && channels.high == channels_per_group) {
    to.push_back({groups.low * channels_per_group, groups.high * channels_per_group});
    return;
  }
  listed.expect(groups.high - groups.low);
  for (std::int64_t group = groups.low; group < groups.high; ++group)
    to.push_back({group * channels_per_group + channels.low, group * channels_per_group + channels.high});
}

}  // namespace

std::vector<PieceIntervals> piece_intervals(const CutLayer& cut_layer, int operand, const Rules& rules) {
  const Layer& layer = *cut_layer.layer;
  std::vector<PieceIntervals> result;
  if (rules.padding_is_data) {
    for (const PieceAxis& axis : axes_of_operand(cut_layer, operand))
      result.push_back(windows(cut_layer, axis));
    return result;
  }
  for (const std::string& dimension : layer.operands[operand].dimensions) {
    const auto relation =
        std::find_if(layer.relations.begin(), layer.relations.end(),
                     [&](const DimensionRelation& candidate) { return candidate.data == dimension; });
    const int loop = layer.loop_index(dimension);
    if (relation != layer.relations.end())
      result.push_back(touched_data(cut_layer, *relation));
    else
      result.push_back(loop < 0 ? windows(cut_layer, {}) : real_iterations(cut_layer, loop));
  }
  return result;
}

std::vector<PieceIntervals> data_intervals(const CutLayer& cut_layer, int operand, const Rules& rules) {
  const std::vector<std::string>& dimensions = cut_layer.layer->operands[operand].dimensions;
  std::vector<PieceIntervals> result = piece_intervals(cut_layer, operand, rules);
  const auto group = std::find(dimensions.begin(), dimensions.end(), "G") - dimensions.begin();
  const std::string channel_name = operand == 0 ? "K" : "C";
  const auto channel = std::find(dimensions.begin(), dimensions.end(), channel_name) - dimensions.begin();
  const auto count = static_cast<std::ptrdiff_t>(dimensions.size());
  if (group == count || channel == count) return result;
  const std::int64_t size = cut_layer.layer->loop_size(channel_name), per_group = result[channel].extent;
  ListedRanges listed(*cut_layer.layer, channel_name);
  result[std::min(group, channel)] =
      combined(result[group], result[channel], result[group].extent * per_group,
               [&](Range groups, Range channels, std::vector<Range>& to) {
                 if (rules.inexact_dependencies)
                   to.push_back({groups.low + channels.low, (groups.high - 1) * size + channels.high});
                 else
                   append_channels(groups, channels, per_group, listed, to);
               });
  result.erase(result.begin() + std::max(group, channel));
  return result;
}

namespace {

/// The pieces into which the pieces of a layer divide an operand, numbered by mixed radix over the distinct
/// windows along each axis.
class Pieces {
 public:
  Pieces(const CutLayer& cut_layer, int operand, const Rules& rules) {
    const Layer& layer = *cut_layer.layer;
    const LayerOperand& entry = layer.operands[operand];
    const bool finished = operand == 0 && layer.final_output_precision > 0;
    stored_ = TileBits(layer, operand, finished);
    const int loop = block_loop(layer, operand, finished ? layer.final_output_scale : entry.scale);
    std::size_t dimension = 0;
    for (PieceIntervals& intervals : piece_intervals(cut_layer, operand, rules)) {
      const bool has_blocks = loop >= 0 && layer.loop_index(entry.dimensions[dimension++]) == loop;
      if (!intervals.movers.empty()) {
        if (has_blocks) axis_of_blocks_ = static_cast<int>(axes_.size());
        add_axis(std::move(intervals));
        continue;
      }
      const std::int64_t extent = elements(intervals.at(0));
      if (has_blocks) extent_of_blocks_ = extent;
      fixed_elements_ *= extent;
    }
    tensor_of_piece_.assign(count_, -1);
  }

  /// The tensor of the piece at the counters; -1 when it has none yet.
  int& tensor_at(const PieceCounters& counters) {
    std::size_t piece = 0;
    for (const Axis& axis : axes_) piece += axis.number[axis.intervals.position(counters)];
    return tensor_of_piece_[piece];
  }

  /// Bits of the piece at the counters, with its scales.
  std::int64_t bits_at(const PieceCounters& counters) const {
    std::int64_t product = fixed_elements_, in_blocks = extent_of_blocks_;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      const PieceIntervals& intervals = axes_[axis].intervals;
      const std::int64_t extent = elements(intervals.at(intervals.position(counters)));
      if (static_cast<int>(axis) == axis_of_blocks_) in_blocks = extent;
      product *= extent;
    }
    if (product == 0) return 0;
    if (!stored_.beside()) return product * static_cast<std::int64_t>(stored_.data());
    return std::llround(
        stored_.of_tile(static_cast<double>(product), [&](int) { return static_cast<double>(in_blocks); }));
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
  TileBits stored_;
  int axis_of_blocks_ = -1;            ///< index into axes_; -1: all pieces have ...
  std::int64_t extent_of_blocks_ = 1;  ///< ... so many elements along it
  std::size_t count_ = 1;
  std::vector<int> tensor_of_piece_;
};

std::int64_t iterations_of_reuse(const CutLayer& cut_layer, int operand) {
  std::int64_t iterations = 1;
  for (const NodeLoop& outer : cut_layer.outer_loops)
    if (is_irrelevant(*cut_layer.layer, operand, outer.loop)) iterations *= outer.count;
  return iterations;
}

/// The share off chip is the same of each piece: that of the data, which enlarged loops do not change.
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
  for (int operand = 0; operand < operands; ++operand) pieces.emplace_back(cut_layer, operand, rules);
  PieceCounters counters(cut_layer);
  for (int sub_id = 0; sub_id < cut_layer.node_count; ++sub_id, counters.advance()) {
    ComputationNode& node = graph.nodes[cut_layer.first_node + sub_id];
    for (int operand = 0; operand < operands; ++operand) {
      int& tensor = pieces[operand].tensor_at(counters);
      const bool in_part = operand > 0 && layer.operands[operand].offchip_elements > 0;
      const bool constant = in_part || (operand > 0 && layer.operands[operand].constant);
      if (tensor < 0) {
        tensor = static_cast<int>(graph.tensors.size());
        std::int64_t bits = pieces[operand].bits_at(counters);
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
