#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/workload/expected_zeros.hpp"
#include "core/workload/layer.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {

/// The bits that a tile of an operand takes, in a memory or on a port: they are not its elements times
/// their bits where something is stored *beside* the data. Numbers in blocks (BlockScale) have a scale for
/// each `every` elements along a loop: a row of a tile has ceil(iterations of the loop in the tile / every)
/// of them, so that a tile shorter than a block brings its scale again. A block counts from the beginning
/// of its tile.
///
/// A memory with a *format* (StoredFormat) stores a sparse operand without its zeros, and moves it so. Of
/// n elements in rows of e along the axis (scale_axis()), with density d and b bits each, as an expected
/// value, E being the layer's iterations of the axis:
///
/// * bitmask: n (d b + 1), with a bit for each element;
/// * coordinates: n d (b + log2 E) + n / e log2(E + 1), with the place of each nonzero in its row and how
///   many a row has;
/// * run_length: (entries of a row + 1) n / e (b + 5), with the zeros before each entry
///   (expected_run_entries()); a row ends with one.
///
/// Logarithms are rounded up. A tile that is cut across the axis has rows of its own. Room is for the tiles
/// of a quantile (nonzeros_at()); partial sums and what has no zeros are stored as they are.
///
/// All who count bits of tiles ask here: cost tables, room in memories, bounds, several cores. They know
/// the elements of a tile and ask for the bits of each of them. Nothing beside: always data(), at no cost.
///
/// Bounds stay bounds: rows that are cut need no fewer bits than whole (a run that is cut makes one entry
/// less at most, and its row ends once more), nor scales (ceil(a) + ceil(b) >= ceil(a + b), also between
/// whole numbers, for which `of_element` draws straight lines), each tile has at least least() for each
/// element, and more iterations never need fewer bits.
class TileBits {
 public:
  TileBits() = default;
  /// Those of the operand; `finished`: of a finished output. Throws InputError where the layer's scale is
  /// along no loop of the operand.
  TileBits(const Layer& layer, int operand, bool finished);
  /// The same in a memory that stores the operand in a format, of which the share `quantile` of the tiles
  /// must find room. Those without where the layer has no zeros of it. Throws InputError for an operand
  /// without an axis, and for a pattern whose runs of zeros are not counted.
  TileBits(const Layer& layer, int operand, bool finished, StoredFormat format, double quantile);

  bool operator==(const TileBits&) const = default;
  /// Bits of an element with nothing beside it; in a format on average over elements and zeros, without
  /// rows.
  double data() const { return data_; }
  /// Something is stored beside the data, so that bits depend on the tile.
  bool beside() const { return loop_ >= 0 || in_format(); }
  /// Bits of an element on average over elements and zeros, without scales and metadata.
  double numbers() const { return in_format() ? law_.density * width_ : data_; }
  bool in_format() const { return format_ != StoredFormat::none; }

  /// Bits of an element of a tile, on average over its elements. `iterations(loop)`: of the layer's loops
  /// in the tile, also on average over rounds.
  template <class Iterations>
  double of_element(const Iterations& iterations) const {
    double bits = data_;
    if (loop_ >= 0) {
      const double extent = iterations(loop_);
      bits += scale_ * blocks(extent) / extent;
    }
    if (axis_ >= 0) {
      const double extent = iterations(axis_);
      bits += (row_ + entry_ * entries(extent)) / extent;
    }
    return bits;
  }
  /// The same at most, for iterations that are an average of any numbers.
  template <class Iterations>
  double of_element_at_most(const Iterations& iterations) const {
    double bits = data_;
    if (loop_ >= 0) {
      const double extent = iterations(loop_);
      bits += scale_ * (extent + every_ - 1) / every_ / extent;
    }
    if (axis_ >= 0) bits += row_ / iterations(axis_) + entry_ * entries_in_the_long_run_;
    return bits;
  }
  /// Those of a whole tile.
  template <class Iterations>
  double of_tile(double elements, const Iterations& iterations) const {
    return beside() ? snapped(elements * of_element(iterations)) : elements * data_;
  }
  /// Room for a whole tile: in a format for the share of the tiles with the fewest nonzeros, else
  /// of_tile().
  template <class Iterations>
  double of_room(double elements, const Iterations& iterations) const {
    const double bits = of_tile(elements, iterations);
    if (!in_format()) return bits;
    const auto of = [&](int loop) { return loop < 0 ? 1.0 : static_cast<double>(iterations(loop)); };
    const double all = snapped(elements);
    double room = room_in_format(all, all / of(axis_), all / of(pattern_loop_));
    if (loop_ >= 0) room += elements * scale_ * blocks(of(loop_)) / of(loop_);
    return std::max(bits, snapped(room));
  }
  /// An element has no fewer in any tile.
  double least() const {
    double bits = data_;
    if (loop_ >= 0) bits += scale_ / every_;
    if (axis_ >= 0) bits += row_ / longest_row_ + entry_ * entries_in_the_long_run_;
    return bits;
  }

 private:
  /// Scales of so many iterations; between whole numbers as many as lie between theirs.
  double blocks(double extent) const {
    const double whole = snapped(extent), low = std::floor(whole);
    const double scales = std::ceil(low / every_);
    return whole == low ? scales : scales + (std::ceil((low + 1) / every_) - scales) * (whole - low);
  }
  /// Entries of runs in a row; between whole numbers as many as lie between theirs.
  double entries(double extent) const;
  double room_in_format(double elements, double rows, double rows_of_pattern) const;

  double data_ = 0;
  double scale_ = 0, every_ = 1;
  int loop_ = -1;  ///< index into Layer::loops; -1: numbers have no scale
  // In a format.
  StoredFormat format_ = StoredFormat::none;
  ZeroLaw law_;
  double quantile_ = 1;
  double width_ = 0;            ///< bits of a number
  double nonzero_ = 0;          ///< bits of an element that is not zero, with what is beside it alone
  double row_ = 0, entry_ = 0;  ///< bits of each row, and of each entry of runs
  int axis_ = -1;               ///< loop along which rows lie; -1: the format has none
  int pattern_loop_ = -1;       ///< the same of blocks of the pattern
  double longest_row_ = 1, entries_in_the_long_run_ = 0;
};

/// The bits of one operand by the memories that hold it.
struct HeldBits {
  TileBits stored, final_stored;  ///< of a partial sum or an input, and of a finished output
  /// The same by memory level, where some store the operand in a format; else empty.
  std::vector<std::array<TileBits, 2>> in_format = {};

  bool beside() const { return stored.beside() || final_stored.beside() || !in_format.empty(); }
  /// In the memory at this level; -1: at the units.
  const TileBits& at(int level, bool finished) const {
    if (in_format.empty() || level < 0) return finished ? final_stored : stored;
    return in_format[static_cast<std::size_t>(level)][finished ? 1 : 0];
  }
};

/// The loop along which an operand's numbers make blocks where nobody says: the longest loop of both inputs
/// that the output has not, C of a convolution or product. Of an output, and of an input without such a
/// loop: its last dimension that is a loop. -1: the operand has no loop of its own.
int scale_axis(const Layer& layer, int operand);

/// The loop along which an operand's numbers make blocks of this scale: the one that it names, else
/// scale_axis(). -1: they are in no blocks, or the layer lacks the loop.
int block_loop(const Layer& layer, int operand, const BlockScale& scale);

/// Names the loop of all blocks where nobody says it. Then pieces of the layer, whose loops have other
/// sizes, have their blocks along the same one.
void name_block_loops(Layer& layer);

/// Bits of the whole tensor with what is stored beside its data; of the output: `finished` or of partial
/// sums.
double tensor_bits(const Layer& layer, int operand, bool finished, const Rules& rules);

/// Numbers of some operand are in blocks.
bool has_blocks(const Layer& layer);

}  // namespace zz::core
