#pragma once
#include <cmath>

#include "core/workload/layer.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {

/// The bits that a tile of an operand takes, in a memory or on a port: they are not its elements times
/// their bits where something is stored *beside* the data. Numbers in blocks (BlockScale) have a scale for
/// each `every` elements along a loop: a row of a tile has ceil(iterations of the loop in the tile / every)
/// of them, so that a tile shorter than a block brings its scale again. A block counts from the beginning
/// of its tile.
///
/// All who count bits of tiles ask here: cost tables, room in memories, bounds, several cores. They know
/// the elements of a tile and ask for the bits of each of them. Nothing beside: always data(), at no cost.
///
/// Bounds stay bounds: cut into tiles, a row has no fewer scales than whole (ceil(a) + ceil(b) >= ceil(a +
/// b), also between whole numbers, for which `of_element` draws straight lines), each tile has at least
/// least() for each element, and more iterations never need fewer bits.
class TileBits {
 public:
  TileBits() = default;
  /// Those of the operand; `finished`: of a finished output. Throws InputError where the layer's scale is
  /// along no loop of the operand.
  TileBits(const Layer& layer, int operand, bool finished);

  bool operator==(const TileBits&) const = default;
  double data() const { return data_; }
  /// Something is stored beside the data, so that bits depend on the tile.
  bool beside() const { return loop_ >= 0; }

  /// Bits of an element of a tile, on average over its elements. `iterations(loop)`: of the layer's loops
  /// in the tile, also on average over rounds.
  template <class Iterations>
  double of_element(const Iterations& iterations) const {
    if (loop_ < 0) return data_;
    const double extent = iterations(loop_);
    return data_ + scale_ * blocks(extent) / extent;
  }
  /// The same at most, for iterations that are an average of any numbers.
  template <class Iterations>
  double of_element_at_most(const Iterations& iterations) const {
    if (loop_ < 0) return data_;
    const double extent = iterations(loop_);
    return data_ + scale_ * (extent + every_ - 1) / every_ / extent;
  }
  /// Those of a whole tile.
  template <class Iterations>
  double of_tile(double elements, const Iterations& iterations) const {
    return loop_ < 0 ? elements * data_ : snapped(elements * of_element(iterations));
  }
  /// An element has no fewer in any tile.
  double least() const { return loop_ < 0 ? data_ : data_ + scale_ / every_; }

 private:
  /// Scales of so many iterations; between whole numbers as many as lie between theirs.
  double blocks(double extent) const {
    const double whole = snapped(extent), low = std::floor(whole);
    const double scales = std::ceil(low / every_);
    return whole == low ? scales : scales + (std::ceil((low + 1) / every_) - scales) * (whole - low);
  }

  double data_ = 0;
  double scale_ = 0, every_ = 1;
  int loop_ = -1;  ///< index into Layer::loops; -1: nothing is beside
};

/// The loop along which an operand's numbers make blocks where nobody says: the longest loop of both inputs
/// that the output has not, C of a convolution or product. Of an output, and of an input without such a
/// loop: its last dimension that is a loop. -1: the operand has no loop of its own.
int scale_axis(const Layer& layer, int operand);

/// Bits of the whole tensor with what is stored beside its data; of the output: `finished` or of partial
/// sums.
double tensor_bits(const Layer& layer, int operand, bool finished, const Rules& rules);

/// Throws InputError, by name, where a layer has something beside its data: for what counts elements times
/// bits. `what`: "several cores".
void refuse_beside(const Layer& layer, const char* what);

}  // namespace zz::core
