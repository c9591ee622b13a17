#include "core/multicore/check/detail/node_boxes.hpp"

#include <algorithm>

#include "core/base/interruption.hpp"

namespace zz::core::check {
namespace {

const DimensionRelation* relation_named(const Layer& layer, const std::string& data) {
  for (const DimensionRelation& relation : layer.relations)
    if (relation.data == data) return &relation;
  return nullptr;
}

void append(Coordinates& coordinates, Range range) {
  if (range.low >= range.high) return;
  if (!coordinates.empty() && coordinates.back().high >= range.low)
    coordinates.back().high = std::max(coordinates.back().high, range.high);
  else
    coordinates.push_back(range);
}

/// Distinct stride * a + dilation * b - padding within the data.
Coordinates window(const DimensionRelation& relation, Range outputs, Range filter) {
  Coordinates found;
  const auto within = [&](std::int64_t low, std::int64_t high) {
    append(found, {std::max<std::int64_t>(low, 0), std::min(high, relation.size)});
  };
  const std::int64_t width = filter.high - filter.low;
  if (outputs.low >= outputs.high || width <= 0) return found;
  if (relation.dilation == 1 && relation.stride <= width) {
    const std::int64_t first = filter.low - relation.padding_low;
    within(relation.stride * outputs.low + first, relation.stride * (outputs.high - 1) + first + width);
    return found;
  }
  if (relation.dilation == 1) {
    for (std::int64_t a = outputs.low; a < outputs.high; ++a) {
      end_if_interrupted();
      const std::int64_t low = relation.stride * a + filter.low - relation.padding_low;
      within(low, low + width);
    }
    return found;
  }
  if (relation.stride == 1) {
    for (std::int64_t b = filter.low; b < filter.high; ++b) {
      end_if_interrupted();
      const std::int64_t low = outputs.low + relation.dilation * b - relation.padding_low;
      within(low, low + outputs.high - outputs.low);
    }
    return found;
  }
  std::vector<std::int64_t> values;
  for (std::int64_t a = outputs.low; a < outputs.high; ++a)
    for (std::int64_t b = filter.low; b < filter.high; ++b)
      values.push_back(relation.stride * a + relation.dilation * b - relation.padding_low);
  std::sort(values.begin(), values.end());
  for (const std::int64_t value : values) within(value, value + 1);
  return found;
}

}  // namespace

std::int64_t count(const Coordinates& coordinates) {
  std::int64_t sum = 0;
  for (const Range& range : coordinates) sum += range.high - range.low;
  return sum;
}

std::int64_t span(const Coordinates& coordinates) {
  return coordinates.empty() ? 0 : coordinates.back().high - coordinates.front().low;
}

NodeBoxes::NodeBoxes(const Layer& real, const CutLayer& cut_layer) : real_(real), cut_layer_(cut_layer) {
  for (const LoopDimension& loop : real.loops) {
    const std::vector<std::string>& axes = real.operands[0].dimensions;
    bool moves = std::find(axes.begin(), axes.end(), loop.name) != axes.end();
    for (const std::string& axis : axes)
      if (const DimensionRelation* relation = relation_named(real, axis))
        moves = moves || relation->output_loop == loop.name || relation->filter_loop == loop.name;
    adds_up_.push_back(!moves);
  }
}

Range NodeBoxes::clipped(std::int64_t low, std::int64_t width, int loop) const {
  const std::int64_t size = real_.loops[loop].size;
  return {std::min(low, size), std::min(low + width, size)};
}

Range NodeBoxes::iterations(int sub_id, int loop) const {
  const std::int64_t piece = cut_layer_.piece->loops[loop].size;
  std::int64_t low = 0, step = piece, left = sub_id;
  for (const NodeLoop& outer : cut_layer_.outer_loops) {
    if (outer.loop == loop) {
      low += left % outer.count * step;
      step *= outer.count;
    }
    left /= outer.count;
  }
  return clipped(low, piece, loop);
}

std::vector<Range> NodeBoxes::iterations(int sub_id) const {
  std::vector<Range> ranges;
  for (std::size_t loop = 0; loop < real_.loops.size(); ++loop)
    ranges.push_back(iterations(sub_id, static_cast<int>(loop)));
  return ranges;
}

bool NodeBoxes::finishes(int sub_id) const {
  for (std::size_t loop = 0; loop < real_.loops.size(); ++loop) {
    if (!adds_up_[loop]) continue;
    const Range range = iterations(sub_id, static_cast<int>(loop));
    if (range.high != real_.loops[loop].size || range.low == range.high) return false;
  }
  return true;
}

Coordinates NodeBoxes::touched(int operand, int axis, const std::vector<Range>& of_loops) const {
  const std::string& name = real_.operands[operand].dimensions[axis];
  const auto of = [&](const std::string& loop_name) {
    const int loop = real_.loop_index(loop_name);
    return loop < 0 ? Range{0, 1} : of_loops[loop];
  };
  if (const DimensionRelation* relation = relation_named(real_, name))
    return window(*relation, of(relation->output_loop), of(relation->filter_loop));
  Coordinates all;
  append(all, of(name));
  return all;
}

Coordinates NodeBoxes::touched(int sub_id, int operand, int axis) const {
  return touched(operand, axis, iterations(sub_id));
}

Coordinates NodeBoxes::touched_by_all(int operand, int axis) const {
  std::vector<Range> all;
  for (const LoopDimension& loop : real_.loops) all.push_back({0, loop.size});
  return touched(operand, axis, all);
}

std::int64_t NodeBoxes::extent(int operand, int axis) const {
  const std::string& name = real_.operands[operand].dimensions[axis];
  if (const DimensionRelation* relation = relation_named(real_, name)) return relation->size;
  const int loop = real_.loop_index(name);
  return loop < 0 ? 1 : real_.loops[loop].size;
}

int NodeBoxes::loop_of_output_axis(int axis) const {
  return real_.loop_index(real_.operands[0].dimensions[axis]);
}

int NodeBoxes::finisher(const std::vector<std::int64_t>& iterations) const {
  std::vector<std::int64_t> piece(iterations.size());
  for (std::size_t loop = 0; loop < iterations.size(); ++loop) {
    const std::int64_t at = adds_up_[loop] ? real_.loops[loop].size - 1 : iterations[loop];
    piece[loop] = at / cut_layer_.piece->loops[loop].size;
  }
  std::int64_t sub_id = 0, weight = 1;
  for (const NodeLoop& outer : cut_layer_.outer_loops) {
    sub_id += piece[outer.loop] % outer.count * weight;
    piece[outer.loop] /= outer.count;
    weight *= outer.count;
  }
  return static_cast<int>(sub_id);
}

}  // namespace zz::core::check
