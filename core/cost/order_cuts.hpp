#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "core/cost/link_tables.hpp"
#include "core/mapping/loop_path.hpp"

namespace zz::core {

/// Where an order is cut: which of its loops lie below each boundary of some link tables. With the runs of
/// loops at the upper end of a level this is all that the figures of the order follow from.
class OrderCuts {
 public:
  /// `path` and `mapping` are the same order; of the mapping only its cuts are looked at. All must outlive
  /// this object.
  OrderCuts(const LinkTables& links, const LoopPath& path, const CompactMapping& mapping)
      : links_(links), path_(path), mapping_(mapping) {
    std::uint8_t* cut = cut_.data();
    for (const LinkTables::Boundary& place : links.boundaries()) {
      if (place.level > 0) {
        *cut++ = mapping.stationary[place.operand][place.level - 1];
      } else {
        *cut++ = static_cast<std::uint8_t>(place.keeps ? repeated_loops(place.operand) : 0);
      }
    }
  }

  LoopLattice::Point point(int boundary) const { return path_.point(cut_[boundary]); }
  /// The innermost loops, held by the lowest memory, that are irrelevant to the operand.
  LoopLattice::Point repeats(int operand) const { return path_.point(repeated_loops(operand)); }
  /// point() without the outermost loops of the level below that are all irrelevant, or all relevant.
  LoopLattice::Point without_irrelevant_run(int boundary) const {
    const int operand = links_.boundaries()[static_cast<std::size_t>(boundary)].operand;
    return without_run(path_.irrelevant(operand), boundary);
  }
  LoopLattice::Point without_relevant_run(int boundary) const {
    const int operand = links_.boundaries()[static_cast<std::size_t>(boundary)].operand;
    return without_run(path_.relevant(operand), boundary);
  }

 private:
  int repeated_loops(int operand) const {
    return std::min<int>(std::countr_one(path_.irrelevant(operand)), mapping_.stationary[operand][0]);
  }
  LoopLattice::Point without_run(std::uint32_t loops, int boundary) const {
    const int end = cut_[boundary];
    if (end == 0) return path_.point(0);
    const bool lowest = links_.boundaries()[static_cast<std::size_t>(boundary)].level <= 1;
    const int begin = lowest ? 0 : cut_[boundary - 1];
    return path_.point(std::max(end - std::countl_one(loops << (32 - end)), begin));
  }

  const LinkTables& links_;
  const LoopPath& path_;
  const CompactMapping& mapping_;
  std::array<std::uint8_t, LinkTables::most_boundaries> cut_;  ///< loops below the boundary
};

}  // namespace zz::core
