#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/evaluation.hpp"

namespace zz::core {

/// One loop of a mapping, in time or over units: a digit of the iterations of its dimension. Digits are
/// numbered: those of the temporal loops first, innermost first, then those of units.
struct Digit {
  int dimension = 0;  ///< index into Layer::loops
  std::int64_t size = 1;
  bool units = false;
  std::string array = {};  ///< of units: the array dimension along which they lie
};

/// The iterations of one loop dimension as its digits: an iteration is the sum of its digits, each times
/// the product of those inside of it.
///
/// A dimension whose rounds in time its loops go beyond is *ragged*: its outermost loop ends early, and in
/// its last tile units take what is left one after the other, so that a digit of units counts there by the
/// rounds that are left and not by those of a whole tile. Of an *uneven* one some iterations do not exist.
struct DigitsOfDimension {
  std::vector<int> inside_out;
  std::int64_t iterations = 1;
  std::int64_t rounds = 1;  ///< that are walked in time
  bool ragged = false, uneven = false;
};

/// The elements of an operand along one of its dimensions.
struct Axis {
  int loop = 0;     ///< index into Layer::loops
  int filter = -1;  ///< of a window: its other loop; else -1
  std::int64_t stride = 1, dilation = 1, padding = 0;
  std::int64_t elements = 1;  ///< of the tensor
};

/// Numbers in blocks: bits that go with every so many iterations of a dimension in a portion.
struct ProgramBlocks {
  int dimension = -1;  ///< -1: numbers are by themselves
  std::int64_t every = 1, bits = 0;

  /// Scales of a row with so many iterations.
  std::int64_t of_row(std::int64_t iterations) const { return (iterations + every - 1) / every; }
};

/// Which digits are inside: those of the innermost `loops` in time, and those of units on the operand's
/// first `levels` levels (OperandSpatialMapping).
struct Tile {
  int loops = 0, levels = 0;
};

/// A place where an operand's data are: the units themselves (the first one), or a memory.
struct ProgramBuffer {
  std::string memory;          ///< "": the units
  Tile tile;                   ///< that one instance holds
  bool second_buffer = false;  ///< of the same size, for the next portion
};

struct ProgramOperand {
  std::string name;
  bool output = false;
  std::int64_t precision = 0;
  ProgramBlocks blocks, result_blocks;  ///< result_blocks: of finished outputs
  std::vector<Axis> axes;
  std::vector<bool> bears;        ///< by dimension: the operand's elements depend on it
  std::vector<int> level;         ///< by digit: of units, their level; else -1
  std::vector<ProgramBuffer> at;  ///< from the units upwards; the last one is the whole tensor

  bool slides() const;  ///< has a window
};

/// The data of one operand that pass one port in one direction.
struct ProgramMove {
  int operand = 0;
  int boundary = 0;  ///< between the operand's buffers `boundary` and `boundary` + 1
  Direction direction = Direction::read_to_low;
  std::int64_t precision = 0;  ///< bits of an element; 0: none moves
  std::int64_t word = 1;       ///< bandwidth_min of the port, bits
  double words_by = 1;         ///< bandwidth_max / bandwidth_min
  std::int64_t accesses = 0;   ///< as the evaluation has them
  ProgramBlocks blocks = {};   ///< beside the elements

  bool below() const;                            ///< at the port of the lower of the two buffers
  bool returns(const ProgramOperand& of) const;  ///< sums that go back towards the units
};

/// A layer with its mapping as loops and moves: what a program is that does it. Times of the result
/// included (Evaluation::times), and no figures but its accesses.
///
/// Units share out iterations so: the digits of a dimension come from inside to outside as the tiles of the
/// operand grow whose windows slide, or of the last one, memory by memory: first the loops that a memory
/// holds, then the units below the next one. So windows of a unit have no gaps.
struct LayerProgram {
  std::string layer;
  std::vector<std::string> dimensions;
  std::vector<Digit> digits;
  int loops = 0;  ///< digits in time
  std::vector<DigitsOfDimension> of;
  std::vector<ProgramOperand> operands;  ///< in equation order
  bool adds = false;                     ///< elements of inputs are added, and not multiplied
  std::vector<ProgramMove> moves;
  std::int64_t times = 1;

  bool inside(const ProgramOperand& operand, int digit, const Tile& tile) const;
  /// Rounds in time within a dimension inside of a digit, and those of them that are inside of a tile.
  std::int64_t rounds_below(int digit) const;
  std::int64_t rounds_below(const ProgramOperand& operand, int digit, const Tile& tile) const;
  /// Units within a dimension inside of a digit and of a tile.
  std::int64_t units_below(const ProgramOperand& operand, int digit, const Tile& tile) const;
  /// Iterations of a dimension in a tile, at most.
  std::int64_t extent(const ProgramOperand& operand, int dimension, const Tile& tile) const;
  /// The iteration that has these digits; one that does not exist is not below
  /// DigitsOfDimension::iterations.
  std::int64_t iteration(int dimension, const std::vector<std::int64_t>& digit_values) const;
};

/// The structure of an evaluated layer. Throws InputError, by name of the layer, where an evaluation has
/// none that could be executed: schedules, groups, operators on elements, figures of ZigZag or Stream.
LayerProgram layer_program(const Evaluation& evaluation);

}  // namespace zz::core
