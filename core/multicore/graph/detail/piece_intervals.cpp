#include "core/multicore/graph/detail/piece_intervals.hpp"

#include <algorithm>

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

/// stride * a + dilation * b - padding for all a and b, as far as there are such data.
void append_touched(const DimensionRelation& relation, Range a, Range b, std::vector<Range>& to) {
  if (a.low == a.high || b.low == b.high) return;
  const auto value = [&](std::int64_t x, std::int64_t y) {
    return relation.stride * x + relation.dilation * y - relation.padding_low;
  };
  const Range window = clipped({value(a.low, b.low), value(a.high - 1, b.high - 1) + 1}, relation.size);
  const std::int64_t b_span = relation.dilation * (b.high - b.low - 1) + 1;
  const bool b_dense = relation.dilation == 1 || b.high - b.low == 1;
  if (b_dense && (relation.stride <= b_span || a.high - a.low == 1)) {
    if (window.low < window.high) to.push_back(window);
    return;
  }
  std::vector<bool> touched(window.high - window.low, false);
  for (std::int64_t x = a.low; x < a.high; ++x) {
    for (std::int64_t y = b.low; y < b.high; ++y) {
      const std::int64_t element = value(x, y);
      if (element >= window.low && element < window.high) touched[element - window.low] = true;
    }
  }
  for (std::int64_t low = window.low; low < window.high; ++low) {
    if (!touched[low - window.low]) continue;
    std::int64_t high = low + 1;
    while (high < window.high && touched[high - window.low]) ++high;
    to.push_back({low, high});
    low = high;
  }
}

PieceIntervals touched_data(const CutLayer& cut_layer, const DimensionRelation& relation) {
  const auto iterations = [&](const std::string& name) {
    const int loop = cut_layer.layer->loop_index(name);
    return loop < 0 ? windows(cut_layer, {}) : real_iterations(cut_layer, loop);
  };
  return combined(iterations(relation.output_loop), iterations(relation.filter_loop), relation.size,
                  [&](Range a, Range b, std::vector<Range>& to) { append_touched(relation, a, b, to); });
}

/// The elements of groups and of channels within each, in the axis of all channels.
void append_channels(Range groups, Range channels, std::int64_t channels_per_group,
                     std::vector<Range>& to) {
  if (groups.low == groups.high || channels.low == channels.high) return;
  if (channels.low == 0 && channels.high == channels_per_group) {
    to.push_back({groups.low * channels_per_group, groups.high * channels_per_group});
    return;
  }
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
  result[std::min(group, channel)] =
      combined(result[group], result[channel], result[group].extent * per_group,
               [&](Range groups, Range channels, std::vector<Range>& to) {
                 if (rules.inexact_dependencies)
                   to.push_back({groups.low + channels.low, (groups.high - 1) * size + channels.high});
                 else
                   append_channels(groups, channels, per_group, to);
               });
  result.erase(result.begin() + std::max(group, channel));
  return result;
}

}  // namespace zz::core
