#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/loop_lattice.hpp"

namespace zz::core {

/// What a kind of loops is on a path: how far it leads, and to which operands it is (ir)relevant.
struct KindTraits {
  LoopLattice::Point stride = 0;
  std::uint64_t irrelevant = 0, relevant = 0;  ///< LoopSets::first_of() those to which it is
};

/// An order of a lattice's loops as the points that it goes through, from the innermost loop outwards.
class LoopPath {
 public:
  LoopPath() { points_[0] = 0; }
  /// `kinds`: of the lattice that the mapping's kinds are of.
  LoopPath(const std::vector<KindTraits>& kinds, const CompactMapping& mapping) : LoopPath() {
    for (int loop = 0; loop < mapping.loops; ++loop) add(kinds[mapping.kind[loop]]);
  }

  /// Adds a loop outside of the others.
  void add(const KindTraits& kind) {
    points_[loops_ + 1] = points_[loops_] + kind.stride;
    irrelevant_.add(kind.irrelevant, loops_);
    relevant_.add(kind.relevant, loops_);
    ++loops_;
  }

  int loops() const { return loops_; }
  /// The loops below a position: 0 is that of the innermost loop, loops() is above all.
  LoopLattice::Point point(int position) const { return points_[position]; }
  /// Positions of the loops that are irrelevant, or relevant, to an operand.
  std::uint32_t irrelevant(int operand) const { return irrelevant_.of(operand); }
  std::uint32_t relevant(int operand) const { return relevant_.of(operand); }

 private:
  int loops_ = 0;
  std::array<LoopLattice::Point, LoopLattice::most_loops + 1> points_;
  LoopSets irrelevant_, relevant_;
};

}  // namespace zz::core
