#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/cost/cost_tables.hpp"
#include "core/mapping/compact_mapping.hpp"

namespace zz::core {

/// Tiles that do not divide their loop. A loop dimension has so many *rounds* in time (CostTables::rounds):
/// its iterations, or as often as its unrolling goes over the units. The loops of a dimension below a cut
/// make a *tile* of it: t rounds, the product of their sizes. The loops of a dimension form a *chain*: each
/// tile divides the next one, and only the outermost loop is *ragged*, with ceil(R / t) iterations, the
/// last of which is as short as it must be. Then, at every cut, there are ceil(R / t) tiles of t rounds,
/// but for the last one; all together have R rounds.
///
/// So what lies below a cut is a function of the vector of tiles there, of no order and of nothing above:
/// TilesBelow. Where all tiles divide their loops it has one size of portion, and every count is the
/// product of loop sizes that it has always been.

/// Loop dimensions, one bit each, that are in their last tile.
using LastTiles = std::uint32_t;
static_assert(max_loop_dimensions <= 32, "sets of loop dimensions are words");

/// The rounds of each dimension in one run of the nest: the product of its loops, at most those of the
/// layer.
std::array<std::int64_t, max_loop_dimensions> walked_rounds(const CostTables& tables,
                                                            const CompactMapping& mapping);

/// Steps of the array for all temporal loops: the product of the rounds walked.
std::int64_t all_steps(const CostTables& tables, const CompactMapping& mapping);

/// Some loop of the mapping has iterations that end before a whole tile.
bool is_ragged(const CostTables& tables, const CompactMapping& mapping);

/// The tiles below a cut, of each loop dimension and together.
class TilesBelow {
 public:
  /// Below the cut are the innermost `inside` loops.
  TilesBelow(const CostTables& tables, const CompactMapping& mapping, int inside);

  std::int64_t whole(int dimension) const { return whole_[dimension]; }  ///< rounds of a first tile
  std::int64_t last(int dimension) const { return last_[dimension]; }    ///< of the last one
  std::int64_t tiles(int dimension) const { return tiles_[dimension]; }
  /// Rounds of a tile that is the last one of its dimension, or is not.
  std::int64_t rounds(int dimension, LastTiles last) const {
    return (last >> dimension & 1) != 0 ? last_[dimension] : whole_[dimension];
  }

  /// Steps below the cut where these dimensions are in their last tiles.
  std::int64_t steps(LastTiles last = 0) const;
  /// Portions over the cut: the product of the tiles of all dimensions.
  std::int64_t portions() const;

  /// The portions of one size.
  struct Size {
    LastTiles last = 0;      ///< also of dimensions of one tile, which is the last one
    std::int64_t steps = 1;  ///< that each takes
    std::int64_t portions = 1;
  };
  /// Sizes from that of the first portion, which is whole, to that of the last; one where all tiles divide
  /// their loops.
  std::vector<Size> sizes() const;
  bool one_size() const { return ragged_ == 0; }

 private:
  int dimensions_;
  LastTiles ragged_ = 0;  ///< dimensions whose last tile is shorter
  LastTiles once_ = 0;    ///< dimensions of one tile
  std::array<std::int64_t, max_loop_dimensions> whole_, last_, tiles_;
};

}  // namespace zz::core
