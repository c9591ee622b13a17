#include "core/fusion/tiled_layer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "core/diagnostics/diagnostics.hpp"

namespace zz::core {
namespace {

/// Iterations of the layer's loop that one iteration of each outer loop steps over; 0 for outer loops of
/// other loops.
std::vector<std::int64_t> strides(const TiledLayer& tiled, int loop) {
  std::vector<std::int64_t> strides(tiled.outer_loops.size(), 0);
  std::int64_t stride = tiled.tile->loops[loop].size;
  for (std::size_t i = 0; i < tiled.outer_loops.size(); ++i) {
    if (tiled.outer_loops[i].loop != loop) continue;
    strides[i] = stride;
    stride *= tiled.outer_loops[i].count;
  }
  return strides;
}

Range range_of(const TiledLayer& tiled, const TileAxis& axis, int sub_id) {
  std::int64_t low = axis.low;
  std::int64_t nodes_per_step = 1;
  std::size_t mover = 0;
  for (std::size_t i = 0; i < tiled.outer_loops.size() && mover < axis.movers.size(); ++i) {
    const std::int64_t count = tiled.outer_loops[i].count;
    if (axis.movers[mover].outer_loop == static_cast<int>(i))
      low += sub_id / nodes_per_step % count * axis.movers[mover++].step;
    nodes_per_step *= count;
  }
  return {low, low + axis.width};
}

}  // namespace

/// Operands that lie off chip from the start, all of them or in part.
std::vector<int> constants_in_source_order(const Layer& layer) {
  const auto lies_off_chip = [&](int operand) {
    return layer.operands[operand].constant || layer.operands[operand].offchip_elements > 0;
  };
  std::vector<int> constants;
  for (const int operand : layer.source_order)
    if (lies_off_chip(operand)) constants.push_back(operand);
  for (int operand = 1; operand < static_cast<int>(layer.operands.size()); ++operand) {
    if (lies_off_chip(operand) && std::find(constants.begin(), constants.end(), operand) == constants.end())
      constants.push_back(operand);
  }
  return constants;
}

TiledLayer tiled_layer(Layer whole, std::vector<OuterLoop> loops, std::vector<std::int64_t> loop_sizes) {
  Layer tile = whole;
  std::int64_t node_count = 1;
  for (const OuterLoop& outer : loops) {
    LoopDimension& loop = tile.loops[outer.loop];
    if (loop.size % outer.count != 0)
      throw InputError(
          fmt::format("layer {} '{}': {} iterations of loop {} cannot be cut into {} equal pieces",
                      whole.id, whole.name, loop.size, loop.name, outer.count));
    loop.size /= outer.count;
    if (node_count > std::numeric_limits<int>::max() / outer.count)
      throw InputError(fmt::format("layer {} '{}' would be cut into more than {} computation nodes",
                                   whole.id, whole.name, std::numeric_limits<int>::max()));
    node_count *= outer.count;
  }
  TiledLayer tiled;
  tiled.constants = constants_in_source_order(whole);
  tiled.layer = std::make_shared<const Layer>(std::move(whole));
  tiled.tile = std::make_shared<const Layer>(std::move(tile));
  tiled.outer_loops = std::move(loops);
  tiled.loop_sizes = std::move(loop_sizes);
  tiled.node_count = static_cast<int>(node_count);
  return tiled;
}

TileAxis axis_of_loop(const TiledLayer& tiled, int loop) {
  TileAxis axis;
  axis.width = tiled.tile->loops[loop].size;
  axis.extent = tiled.loop_sizes[loop];
  const std::vector<std::int64_t> steps = strides(tiled, loop);
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i] != 0) axis.movers.push_back({static_cast<int>(i), steps[i]});
  return axis;
}

TileAxis axis_of_relation(const TiledLayer& tiled, int index) {
  const Layer& layer = *tiled.layer;
  const DimensionRelation& relation = layer.relations[index];
  TileAxis axis;
  axis.low = -relation.padding_low;
  axis.extent = relation.size;
  std::vector<std::int64_t> steps(tiled.outer_loops.size(), 0);
  const auto add = [&](const std::string& name, std::int64_t scale) {
    const int loop = layer.loop_index(name);
    if (loop < 0) return;
    axis.width += scale * (tiled.tile->loops[loop].size - 1);
    const std::vector<std::int64_t> of_loop = strides(tiled, loop);
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] += scale * of_loop[i];
  };
  add(relation.output_loop, relation.stride);
  add(relation.filter_loop, relation.dilation);
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i] != 0) axis.movers.push_back({static_cast<int>(i), steps[i]});
  return axis;
}

std::vector<TileAxis> axes_of_operand(const TiledLayer& tiled, int operand) {
  const Layer& layer = *tiled.layer;
  std::vector<TileAxis> axes;
  for (const std::string& dimension : layer.operands[operand].dimensions) {
    const auto relation =
        std::find_if(layer.relations.begin(), layer.relations.end(),
                     [&](const DimensionRelation& candidate) { return candidate.data == dimension; });
    const int loop = layer.loop_index(dimension);
    if (relation != layer.relations.end()) {
      axes.push_back(axis_of_relation(tiled, static_cast<int>(relation - layer.relations.begin())));
    } else if (loop >= 0) {
      axes.push_back(axis_of_loop(tiled, loop));
    } else {
      axes.emplace_back();
    }
  }
  return axes;
}

bool is_irrelevant(const Layer& layer, int operand, int loop) {
  return layer.relevancy(operand, loop) == Relevancy::irrelevant;
}

std::vector<Range> TiledLayer::loop_ranges(int sub_id) const {
  std::vector<Range> ranges;
  for (int loop = 0; loop < static_cast<int>(layer->loops.size()); ++loop)
    ranges.push_back(range_of(*this, axis_of_loop(*this, loop), sub_id));
  return ranges;
}

std::vector<Range> TiledLayer::data_ranges(int sub_id) const {
  std::vector<Range> ranges;
  for (int relation = 0; relation < static_cast<int>(layer->relations.size()); ++relation)
    ranges.push_back(range_of(*this, axis_of_relation(*this, relation), sub_id));
  return ranges;
}

}  // namespace zz::core
