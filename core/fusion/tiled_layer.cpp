#include "core/fusion/tiled_layer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "core/diagnostics/diagnostics.hpp"

namespace zz::core {
namespace {

std::int64_t pieces_of(const std::vector<OuterLoop>& outer_loops, int loop) {
  std::int64_t pieces = 1;
  for (const OuterLoop& outer : outer_loops)
    if (outer.loop == loop) pieces *= outer.count;
  return pieces;
}

/// Loops whose last piece is smaller, and how many iterations it has. A shape of nodes is a set of them:
/// those of which the node has the last piece, the first loop as the lowest bit.
struct UnevenLoop {
  int loop = 0;
  std::int64_t last = 0;
};

std::vector<UnevenLoop> uneven_loops(const TiledLayer& tiled) {
  std::vector<UnevenLoop> uneven;
  for (int loop = 0; loop < static_cast<int>(tiled.layer->loops.size()); ++loop) {
    const std::int64_t piece = tiled.tile->loops[loop].size;
    const std::int64_t last =
        tiled.layer->loops[loop].size - (pieces_of(tiled.outer_loops, loop) - 1) * piece;
    if (last != piece) uneven.push_back({loop, last});
  }
  return uneven;
}

std::vector<SmallerTile> smaller_tiles(const TiledLayer& tiled) {
  const std::vector<UnevenLoop> uneven = uneven_loops(tiled);
  std::vector<SmallerTile> smaller;
  for (std::size_t shape = 1; shape < std::size_t{1} << uneven.size(); ++shape) {
    Layer tile = *tiled.tile;
    int nodes = tiled.node_count;
    for (std::size_t i = 0; i < uneven.size(); ++i) {
      const auto pieces = static_cast<int>(pieces_of(tiled.outer_loops, uneven[i].loop));
      const bool is_last = (shape >> i & 1u) != 0;
      nodes = nodes / pieces * (is_last ? 1 : pieces - 1);
      if (is_last) tile.loops[uneven[i].loop].size = uneven[i].last;
    }
    smaller.push_back({std::make_shared<const Layer>(std::move(tile)), nodes});
  }
  return smaller;
}

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
  for (int i = 0; i < static_cast<int>(whole.loops.size()); ++i) {
    const LoopDimension& loop = whole.loops[i];
    const std::int64_t pieces = pieces_of(loops, i), piece = (loop.size + pieces - 1) / pieces;
    if ((pieces - 1) * piece >= loop.size)
      throw InputError(
          fmt::format("layer {} '{}': {} iterations of loop {} cannot be cut into {} pieces, so that each "
                      "has some and only the last one is smaller",
                      whole.id, whole.name, loop.size, loop.name, pieces));
    tile.loops[i].size = piece;
  }
  std::int64_t node_count = 1;
  for (const OuterLoop& outer : loops) {
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
  tiled.smaller_tiles = smaller_tiles(tiled);
  return tiled;
}

std::vector<std::shared_ptr<const Layer>> node_tiles(const TiledLayer& tiled) {
  std::vector<std::shared_ptr<const Layer>> tiles{tiled.tile};
  for (const SmallerTile& smaller : tiled.smaller_tiles) tiles.push_back(smaller.tile);
  return tiles;
}

std::vector<int> node_shapes(const TiledLayer& tiled) {
  std::vector<int> shapes(tiled.node_count, 0);
  int bit = 1;
  for (const UnevenLoop& uneven : uneven_loops(tiled)) {
    TileCounters counters(tiled);
    for (int& shape : shapes) {
      bool is_last = true;
      for (std::size_t i = 0; i < tiled.outer_loops.size(); ++i)
        if (tiled.outer_loops[i].loop == uneven.loop)
          is_last = is_last && counters[static_cast<int>(i)] == tiled.outer_loops[i].count - 1;
      if (is_last) shape += bit;
      counters.advance();
    }
    bit *= 2;
  }
  return shapes;
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
