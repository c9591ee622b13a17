#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/mapping/loop_lattice.hpp"

namespace zz::core {

/// All orders of a lattice's loops in the sequence of DistinctOrders, as a tree: a branch are the orders
/// that have their outermost loops in common, and can be passed over as a whole.
///
/// Cool-lex order is such a tree. Let the tail be the non-increasing order of the loops that are still
/// open. The branches are, for each kind x from the lowest and each of its places from the innermost where
/// the tail has a lower kind: x at that place, outside of it what the tail has there, inside of it the
/// rest. The tail itself is the last order of a branch, but the first of all. (A. Williams, SODA 2009, from
/// whose iterative form the tests take the sequence.)
class OrderTree {
 public:
  /// `kinds`: of the lattice, from the lowest to the highest.
  OrderTree(const LoopLattice& lattice, const std::vector<int>& kinds) : lattice_(lattice), kinds_(kinds) {
    for (const int kind : kinds) {
      open_.push_back(lattice.kinds()[static_cast<std::size_t>(kind)].count);
      loops_ += open_.back();
    }
    points_[loops_] = lattice.all();
  }

  int loops() const { return loops_; }
  /// Kind of the loop at a position that is not open.
  int kind(int position) const { return kinds_[order_[position]]; }
  /// The loops below a position that is not open, or below all of those.
  LoopLattice::Point point(int position) const { return points_[position]; }

  /// Calls `enter(open)` at each branch, whose positions from `open` on are placed: false passes it over;
  /// and `visit()` for each order that is left.
  template <class Enter, class Visit>
  void walk(const Enter& enter, const Visit& visit) {
    branch(loops_, true, enter, visit);
  }

 private:
  using Order = std::array<std::uint8_t, LoopLattice::most_loops>;

  template <class Enter, class Visit>
  void branch(int open, bool tail_first, const Enter& enter, const Visit& visit) {
    if (open == 0) return visit();
    Order tail;
    for (int position = 0, rank = static_cast<int>(open_.size()); rank-- > 0;) {
      for (int i = 0; i < open_[rank]; ++i) tail[position++] = static_cast<std::uint8_t>(rank);
    }
    const auto visit_tail = [&] {
      for (int position = open; position-- > 0;) place(position, tail[position]);
      visit();
    };
    if (tail_first) visit_tail();
    int lower = 0;  // loops of lower ranks, which are the outermost of the tail
    for (std::size_t rank = 0; rank < open_.size(); lower += open_[rank++]) {
      if (open_[rank] == 0) continue;
      const int innermost = open - lower;
      for (int outer = open; --outer > innermost;) take(outer, tail[outer]);
      for (int position = innermost; position < open; ++position) {
        take(position, static_cast<std::uint8_t>(rank));
        if (enter(position)) branch(position, false, enter, visit);
        ++open_[rank];
        if (position + 1 < open) ++open_[tail[position + 1]];
      }
    }
    if (!tail_first) visit_tail();
  }

  void place(int position, std::uint8_t rank) {
    order_[position] = rank;
    points_[position] =
        points_[position + 1] - lattice_.kinds()[static_cast<std::size_t>(kinds_[rank])].stride;
  }
  void take(int position, std::uint8_t rank) {
    place(position, rank);
    --open_[rank];
  }

  const LoopLattice& lattice_;
  std::vector<int> kinds_;  ///< by rank
  std::vector<int> open_;   ///< loops not placed, by rank
  int loops_ = 0;
  Order order_;  ///< ranks, by position
  std::array<LoopLattice::Point, LoopLattice::most_loops + 1> points_;
};

}  // namespace zz::core
