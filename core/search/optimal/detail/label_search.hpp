#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <queue>
#include <vector>

#include "core/mapping/compact_mapping.hpp"
#include "core/search/optimal/detail/cost_to_go.hpp"
#include "core/search/optimal/detail/label_costs.hpp"
#include "core/search/optimal/detail/label_store.hpp"
#include "core/search/optimal/detail/memory_fit.hpp"
#include "core/search/optimal/detail/temporal_space.hpp"

namespace zz::core {

/// Finds the mapping with the least value of an objective of additive costs, over all orders of the loops
/// and all ways to cut them, for each operand at each memory, that fit into the memories.
///
/// This is a resource-constrained shortest path problem on the lattice of multisets, solved by label
/// setting (Desrochers & Soumis, INFOR 26, 1988; Irnich & Desaulniers, Shortest Path Problems with Resource
/// Constraints, in Column Generation, 2005) in the order of A* (Hart, Nilsson & Raphael, IEEE SSC 4, 1968).
///
/// - A *label* is a partial mapping: the multiset of placed loops, the number of closed boundaries of each
///   operand, and their costs by component (LabelCosts).
/// - An *arc* adds a loop of some kind right above the placed ones. Before that, each operand may close
///   boundaries, if the data below them fit into the memories. A boundary closes only where the next loop
///   changes the operand: a cut below irrelevant loops is the same mapping as the cut above them, because
///   ZigZag moves those loops down.
/// - The *bound* of a label is the objective of its costs plus CostToGo. It never falls along an arc.
/// - *Dominance* (LabelStore): a label is dropped when another one with equal multiset, closed boundaries
///   and fill classes is no worse in any compared component, nor in the room that it leaves.
///
/// Where one operand's second buffer takes the room of another's, a label branches: it pays the penalty
/// (SingleBufferPenalty), or has a second buffer and less room.
///
/// Worst case: exponentially many labels that do not dominate each other. With one component there is at
/// most one per state where memories are not shared.
class LabelSearch {
 public:
  /// All references must outlive the search. May be nullptr: `single_buffer`, `joint` (sharpens bounds) and
  /// `branch` (restricts mappings). `fill`: only mappings of these classes, where they are not 0.
  /// `keep_all`: labels dominate each other only if everything that any cost follows from is the same, so
  /// that mappings that the costs cannot tell apart are all reported.
  LabelSearch(const TemporalSpace& space, const MemoryFit& fit, const LabelCosts& costs,
              const CostToGo& cost_to_go, const LabelObjective& objective,
              const SingleBufferPenalty* single_buffer, bool keep_all = false, const FillClasses& fill = {},
              const JointCostToGo* joint = nullptr, const CapacityBranch* branch = nullptr);

  /// Turns the search into a diving heuristic: a label with more loops comes before one whose bound is
  /// lower by less than this share. Results are then no longer best. REQUIRES: advance() was not called.
  void prefer_deep(double share) { depth_preference_ = share; }

  enum class Step {
    complete,   ///< result() is the best mapping not yet reported
    exhausted,  ///< no mapping below the limit is left
    paused,     ///< `labels` were looked at
  };
  /// Looks at up to `labels` more labels. Labels whose bound is not below `limit` are dropped for good.
  Step advance(std::size_t labels, double limit);

  /// A lower bound of all mappings not yet reported; infinite when none is left.
  double bound() const;
  /// The lowest bound of a label that was dropped because of a limit; infinite when none was.
  double least_dropped() const { return least_dropped_; }
  const CompactMapping& result() const { return result_; }
  double result_value() const { return result_value_; }

  /// Lower bounds of the costs of the label with the lowest bound, by component. REQUIRES: a label is open.
  std::vector<double> lowest_sums() const;

  std::size_t visited() const { return visited_; }
  std::size_t memory_bytes() const;

 private:
  struct Open {
    double rank;  ///< the bound, unless depth is preferred
    double bound;
    std::uint32_t placed;
    std::uint32_t label;
    bool operator<(const Open& other) const {
      if (rank != other.rank) return rank > other.rank;
      if (placed != other.placed) return placed < other.placed;
      return label > other.label;
    }
  };
  using Numbers = LabelNumbers;

  void expand(std::uint32_t label, double limit);
  void close_boundaries(int operand, std::size_t kind, const Label& from, Label& to, const Numbers& numbers,
                        double limit);
  void close_levels(int operand, std::size_t kind, const Label& from, Label& to, const Numbers& numbers,
                    double limit);
  std::uint32_t closing(std::uint32_t below, int level, std::uint32_t multiset, std::int32_t kept,
                        std::int32_t replaced);
  double* shares(Numbers& numbers) const { return &numbers[components_ + fit_.groups().size()]; }
  bool allowed(int operand, int level, std::size_t multiset) const {
    return !branch_ || branch_->allow(operand, level, fit_.least_bits(space_, operand, level, multiset));
  }
  bool take_room(int operand, int level, const Label& from, bool partial, Numbers& numbers) const;
  bool exceeds_limit(int operand, int closed, const Label& from, const Label& to, double paid) const;
  void finish(Label& to, Numbers& numbers, double limit);
  bool others_fit(const Label& to, Numbers& numbers) const;
  bool end_fits(const Label& to, const Numbers& numbers) const;
  Numbers sums_of(const Label& label, const double* numbers) const;
  double bound_of(const Label& label, const double* numbers) const;

  const TemporalSpace& space_;
  const MemoryFit& fit_;
  const LabelCosts& costs_;
  const LabelObjective& objective_;
  const SingleBufferPenalty* single_buffer_;
  const CostToGo& cost_to_go_;
  const JointCostToGo* joint_;
  const CapacityBranch* branch_;
  std::size_t components_, width_;
  bool keep_all_;
  double first_limit_;
  double least_dropped_ = std::numeric_limits<double>::infinity();
  double depth_preference_ = 0;
  using Closing = std::array<std::int64_t, 5>;
  std::map<Closing, std::uint32_t> closings_;
  LabelStore labels_;
  std::priority_queue<Open> open_;
  CompactMapping result_;
  double result_value_ = 0;
  std::size_t visited_ = 0;
};

}  // namespace zz::core
