#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/cost/cost_model.hpp"
#include "core/mapping/loop_lattice.hpp"

namespace zz::core {

/// Remembers cost_of() for the orders of one lattice: what crosses a boundary is a function of *which*
/// loops are below it, so that orders with a cut in common share it. Six different loops have 720 orders,
/// but 64 points. Where rounding makes the order of the loops count as well, nothing is remembered.
///
/// Not for several threads at once.
class BoundaryTable {
 public:
  /// The model must outlive the table.
  BoundaryTable(const CostModel& model, std::shared_ptr<const LoopLattice> lattice);

  /// CostModel::score() of an order of the lattice, with kinds.
  Score evaluate(const CompactMapping& mapping);

  /// The same, computed once for orders that must cost the same: whose operands cut them at the same points
  /// and, where a memory is more than half full, have the same outermost loops in its level. Of the
  /// 720 orders of six loops a dozen to some hundred differ in that.
  Score score(const CompactMapping& mapping);

  const CostModel& model() const { return model_; }
  const LoopLattice& lattice() const { return *lattice_; }
  /// Number of scores that were computed.
  std::int64_t computed() const { return computed_; }

 private:
  /// All that the cost of an order follows from, as words one after the other.
  using Key = std::basic_string<char32_t>;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::basic_string_view<char32_t> key) const {
      return std::hash<std::basic_string_view<char32_t>>{}(key);
    }
  };
  static constexpr std::size_t most_scores = std::size_t{1} << 14;  ///< then it starts afresh

  void look_up(const CompactMapping& mapping);
  void find_cuts(const CompactMapping& mapping);
  const BoundaryCost& remember(int boundary, const CompactMapping& mapping);
  void make_key(const CompactMapping& mapping);
  LoopLattice::Point without_outer_loops(const CompactMapping& mapping, int boundary,
                                         Relevancy relevancy) const;

  const CostModel& model_;
  std::shared_ptr<const LoopLattice> lattice_;
  bool fractional_may_depend_, integral_may_depend_;  ///< on the order of loops, by rounding
  bool output_depends_;  ///< a window slides over the output: what returns is a matter of order
  std::vector<const BoundaryCost*> known_;  ///< by boundary and point
  std::deque<BoundaryCost> costs_;
  std::unordered_map<Key, Score, Hash, std::equal_to<>> scores_;
  std::int64_t computed_ = 0;

  // The order at hand.
  std::array<LoopLattice::Point, LoopLattice::most_loops + 1> point_;  ///< below each position
  std::array<std::uint8_t, Boundaries::most> cut_;                     ///< loops below the boundary
  std::array<const BoundaryCost*, Boundaries::most> cost_;
  std::array<BoundaryCost, Boundaries::most> of_this_order_;  ///< those that are not remembered
  bool all_remembered_ = true;
  Key key_;
};

}  // namespace zz::core
