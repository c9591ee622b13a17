#pragma once
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"

namespace zz::plugins {

/// The position of a memory in the picture of a hierarchy: operands are columns, and a memory is as wide as
/// the columns that it holds. Row 0 is the array, memories start at row 1.
struct MemoryBox {
  int memory = 0;  ///< index into Accelerator::memories
  int row = 1;
  int first_column = 0, last_column = 0;
};

/// A connection that carries one operand between a memory and the next lower one, or the array.
struct MemoryWire {
  int column = 0;
  int lower_row = 0, upper_row = 1;
  std::int64_t bits_down = 0;  ///< bits per cycle towards the array; 0: never
  std::int64_t bits_up = 0;    ///< bits per cycle from it
};

struct HierarchyPicture {
  std::vector<std::string> columns;  ///< memory operands, ordered so that memories are undivided boxes
  std::vector<MemoryBox> boxes;      ///< none overlaps another
  std::vector<MemoryWire> wires;
  int rows = 1;
};

HierarchyPicture hierarchy_picture(const core::Accelerator& accelerator);

}  // namespace zz::plugins
