#pragma once
#include <cstdint>
#include <vector>

#include "core/output/program/detail/mlir_lines.hpp"
#include "core/output/program/layer_program.hpp"

namespace zz::core::mlir {

/// Values of the digits whose loops are open, by digit; "": as 0.
using Open = std::vector<Name>;

/// Where elements are in the tiles of a program, as values of MLIR: lines that work them out are added to
/// those of the function. Program and lines must outlive it.
class TileCoordinates {
 public:
  TileCoordinates(const LayerProgram& program, Lines& lines) : program_(program), lines_(lines) {}

  /// Some units lie on this level of the operand.
  bool fans_out(const ProgramOperand& operand, int level) const;
  /// Instances of a buffer: units on its level and above.
  std::int64_t units_from(const ProgramOperand& operand, int level) const;
  /// The tile that the instances below a boundary have together.
  static Tile bus_tile(const ProgramOperand& operand, int boundary) {
    return {operand.at[boundary].tile.loops, boundary + 1};
  }

  /// Positions of a tile as two loops of a window share them; apart where no two pairs meet.
  struct Places {
    std::int64_t by_output, by_filter, elements;
    bool apart;
  };
  Places window_places(const ProgramOperand& operand, const Axis& axis, const Tile& tile) const;
  /// Extent of a tile along an axis.
  std::int64_t places(const ProgramOperand& operand, const Axis& axis, const Tile& tile) const;

  /// The round in which the tile around a digit begins, of loops that are open; "": 0.
  Name begin_around(const Open& open, int digit);
  /// The value of a dimension's open digits in a tile.
  Name coordinate(const Open& open, const ProgramOperand& operand, int dimension, const Tile& tile);
  Name iteration(const Open& open, int dimension);
  /// Place of a window's position in the tensor; less than 0, or beyond it, in its padding.
  Name position(const Open& open, const Axis& axis);
  /// Coordinates of an operand's element in a tile.
  std::vector<Name> element(const Open& open, const ProgramOperand& operand, const Tile& tile);

 private:
  const LayerProgram& program_;
  Lines& lines_;
};

}  // namespace zz::core::mlir
