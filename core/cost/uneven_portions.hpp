#pragma once
#include <array>
#include <cstdint>

#include "core/cost/cost_tables.hpp"
#include "core/cost/tiles_below.hpp"

namespace zz::core {

/// The portions of one operand over a boundary, one by one, where units do not divide their loop: of 14
/// columns on 4 units some have 4 in all their rounds, and one has 2. Tiles in time and units are both
/// loops of a dimension, whose iterations a portion has some of; TilesBelow says what of them is in time.
///
/// Exact for the leading operand (CostTables::leading), whose tiles follow each other: full ones, and a
/// last one. Those of other operands depend on how the leading one is tiled. They are counted as the most
/// that can be: no portion is empty, all are as even as they can be, and each is padded by nearly a word,
/// though none has more words than a full one. The same for any order of the loops below.
class UnevenPortions {
 public:
  /// A portion has what the units of architecture levels below `levels` take of it together.
  UnevenPortions(const CostTables& tables, int operand, const TilesBelow& tiles, int levels);

  /// Words of so many bits that all portions have together, each rounded up by itself, in all instances.
  /// `stored`: the bits that they take.
  double words(const TileBits& stored, double word) const;
  /// Memories that take portions, in the fullest round.
  double instances() const { return instances_; }

 private:
  /// The iterations of a loop dimension in the portions.
  struct Extent {
    struct Size {
      double iterations = 0, portions = 0;
    };
    std::array<Size, 2> sizes{};  ///< of full tiles, and of a last one
    bool open = false;            ///< sizes are not known: the first one has the most, and all portions
    double average = 0;           ///< of these
  };
  Extent extent_of(int dimension, const TilesBelow& tiles, int levels);
  bool is_open(const Window& window) const;
  double words_from(int dimension, double portions, const TileBits& stored, double word,
                    std::array<double, max_loop_dimensions>& iterations) const;
  double words_of(const std::array<double, max_loop_dimensions>& iterations, const TileBits& stored,
                  double word) const;

  const CostTables& tables_;
  const OperandTable& operand_;
  const SpatialTable& unrolling_;
  bool leading_;
  double instances_ = 1;
  std::array<Extent, max_loop_dimensions> extents_{};
};

}  // namespace zz::core
