#pragma once
#include <vector>

namespace zz::core {

/// What one operand holds at one memory, by the lattice point of the loops below the memory's upper end.
struct SliceTable {
  struct Entry {
    double bits = 0;
    double traffic = 0;  ///< bits times the iterations of the loops above
  };
  std::vector<Entry> at;  ///< by LoopLattice::Point
  /// Among what fits, one more loop never leaves more traffic, rounding included: as much as fits is best.
  bool falling = true;
};

}  // namespace zz::core
