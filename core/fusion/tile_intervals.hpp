#pragma once
#include <span>

#include "core/fusion/tiled_layer.hpp"

namespace zz::core {

/// What the tiles of a layer cover along one axis of an operand. A *position* is a combination of the
/// counters of the outer loops that move along the axis, the first mover fastest.
struct TileIntervals {
  struct Mover {
    int outer_loop = 0;
    std::int64_t weight = 0;  ///< positions per iteration
  };
  std::vector<Mover> movers;
  std::vector<int> node_offset;  ///< [position]: its part of the sub_id
  std::vector<int> begin{0};     ///< [position] .. [position + 1]: its elements, in `intervals`
  std::vector<Range> intervals;  ///< of one position ascending, with gaps between
  std::int64_t extent = 1;       ///< of the data

  int position_count() const { return static_cast<int>(node_offset.size()); }
  std::span<const Range> at(int position) const {
    return {intervals.data() + begin[position], intervals.data() + begin[position + 1]};
  }
  int position(const TileCounters& counters) const {
    std::int64_t position = 0;
    for (const Mover& mover : movers) position += counters[mover.outer_loop] * mover.weight;
    return static_cast<int>(position);
  }
};

/// By the dimensions of an operand's brackets, the elements that real iterations of a tile touch.
///
/// In compat the window of a tile as a whole: with its gaps, the padding, and what a loop was enlarged by.
std::vector<TileIntervals> tile_intervals(const TiledLayer& tiled, int operand, bool stream_compat);

/// The same by the axes that other layers see: groups (G) and the channels within a group are one axis of
/// channels, in the place of the first of the two. In compat a tile of it is one interval, whose lower end
/// is too low (docs/deviations.md).
std::vector<TileIntervals> data_intervals(const TiledLayer& tiled, int operand, bool stream_compat);

}  // namespace zz::core
