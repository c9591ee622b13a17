#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <queue>
#include <vector>

#include "core/mapping/compact_mapping.hpp"
#include "core/search/optimal/label_buckets.hpp"
#include "core/search/optimal/label_figure.hpp"
#include "core/search/optimal/link_costs.hpp"
#include "core/search/optimal/memory_fit.hpp"
#include "core/search/optimal/remaining_cost.hpp"
#include "core/search/optimal/remaining_in_one_order.hpp"
#include "core/search/optimal/temporal_space.hpp"

namespace zz::core {

/// Finds the mapping whose costs, added up link by link, make the smallest figure: of all orders of
/// the loops and all ways to cut them for each operand at each memory that fit into the memories.
///
/// Best-first over labels. A label says which loops are placed, innermost first, how many links of each
/// operand are closed below, and what that cost; of labels that agree in the former only those stay that no
/// other one undercuts in every cost. Its bound adds what the operands must still pay (RemainingCost).
///
/// Where one operand's second buffer takes the room of another's, labels branch: the link costs more, or
/// there is a second buffer and less room. To be exact about what sums cannot see, labels may be kept apart
/// unless whatever any cost follows from is the same for them.
///
/// A link closes where the next loop changes the operand: a cut below irrelevant loops is the same mapping
/// as the cut above them, because ZigZag moves those down.
class LabelSearch {
 public:
  /// All references must outlive the search. `first`: only mappings of these classes, where they are not 0.
  /// What may be nullptr: `single_buffer`; `in_one_order`, which sharpens bounds; `rooms`, to which
  /// mappings must keep.
  LabelSearch(const TemporalSpace& space, const MemoryFit& fit, const LinkCosts& costs,
              const RemainingCost& remaining, const LabelFigure& figure,
              const SingleBufferCost* single_buffer, bool keep_all = false, const FirstClasses& first = {},
              const RemainingInOneOrder* in_one_order = nullptr, const Rooms* rooms = nullptr);

  /// To find some good mapping soon: labels with many loops come before those whose bound is lower by no
  /// more than this share. Nothing is proven by results then. To be called before anything else.
  void hasten(double share) { haste_ = share; }

  static constexpr std::size_t most_numbers = 64;  ///< of a label: its costs and what else adds up

  enum class Step {
    complete,   ///< result() is the best mapping not yet reported
    exhausted,  ///< nothing below the limit is left
    paused,     ///< the number of labels is used up
  };
  /// Looks at up to `labels` more labels; what does not come below `limit` is dropped for good.
  Step advance(std::size_t labels, double limit);

  /// No mapping that has not been reported has a smaller figure; infinite when none is left.
  double bound() const;
  const CompactMapping& result() const { return result_; }
  double result_figure() const { return result_figure_; }
  const double* result_sums() const { return result_sums_.data(); }  ///< by family
  /// What another figure would make of the same costs.
  double result_figure(const LabelFigure& figure) const;

  /// What the partial mapping with the lowest bound costs at least, by family; there must be one.
  std::vector<double> lowest_sums() const;

  std::size_t visited() const { return visited_; }
  std::size_t memory_bytes() const;

 private:
  struct Label {
    std::uint32_t vector = 0;
    std::uint32_t parent = 0;
    std::uint32_t next = 0;  ///< in the bucket
    std::uint8_t kind = 0;   ///< of the loop that led here
    bool partial = false;    ///< of the output: a loop irrelevant to it stood above the last cut
    FirstClasses first{};
    std::array<std::uint8_t, max_operands> closed{};     ///< links, link 0 aside
    std::array<std::int32_t, max_operands> run{};        ///< iterations of the outermost irrelevant loops
    std::array<std::int32_t, max_operands> replaced{};   ///< iterations of the outermost relevant loops
    std::array<std::uint32_t, max_operands> closings{};  ///< with keep_all: how links were closed
  };
  struct Open {
    double rank;  ///< the bound, but in haste
    double bound;
    std::uint32_t placed;
    std::uint32_t label;
    bool operator<(const Open& other) const {
      if (rank != other.rank) return rank > other.rank;
      if (placed != other.placed) return placed < other.placed;
      return label > other.label;
    }
  };
  /// Costs by family, then used bits by group, then shares by store.
  using Numbers = std::array<double, most_numbers>;

  void expand(std::uint32_t label, double limit);
  void close_links(int operand, std::size_t kind, const Label& from, Label& to, const Numbers& numbers,
                   double limit);
  void close_levels(int operand, std::size_t kind, const Label& from, Label& to, const Numbers& numbers,
                    double limit);
  std::uint32_t closing(std::uint32_t below, int level, std::uint32_t vector, std::int32_t run,
                        std::int32_t replaced);
  double* shares(Numbers& numbers) const { return &numbers[families_ + fit_.groups().size()]; }
  bool allowed(int operand, int level, std::size_t vector) const {
    return !rooms_ || rooms_->allow(operand, level, fit_.least_bits(space_, operand, level, vector));
  }
  bool take_room(int operand, int level, const Label& from, bool partial, const Label& to,
                 Numbers& numbers) const;
  bool too_much(int operand, int closed, const Label& from, const Label& to, double paid) const;
  void finish(Label& to, Numbers& numbers, double limit);
  bool others_fit(const Label& to, Numbers& numbers) const;
  bool end_fits(const Label& to, const Numbers& numbers) const;
  Numbers sums_of(const Label& label, const double* numbers) const;
  double bound_of(const Label& label, const double* numbers) const;
  bool undercuts(const Label& a, const double* costs_a, const Label& b, const double* costs_b) const;
  bool insert(std::uint32_t index);
  CompactMapping mapping_of(std::uint32_t label) const;
  std::array<std::uint8_t, max_memory_levels> all_loops() const;
  double* numbers_of(std::uint32_t label) { return &numbers_[label * width_]; }
  const double* numbers_of(std::uint32_t label) const { return &numbers_[label * width_]; }
  std::uint64_t key_of(const Label& label) const;

  const TemporalSpace& space_;
  const MemoryFit& fit_;
  const LinkCosts& costs_;
  const LabelFigure& figure_;
  const SingleBufferCost* single_buffer_;
  const RemainingCost& remaining_;
  const RemainingInOneOrder* in_one_order_;
  const Rooms* rooms_;
  std::size_t families_, compared_, width_;
  bool keep_all_;
  double most_first_;
  double haste_ = 0;
  using Closing = std::array<std::int64_t, 5>;
  std::map<Closing, std::uint32_t> closings_;
  std::vector<Label> labels_;
  std::vector<double> numbers_;
  LabelBuckets buckets_;
  std::priority_queue<Open> open_;
  CompactMapping result_;
  double result_figure_ = 0;
  Numbers result_sums_{};  ///< by family
  FirstClasses result_first_{};
  std::size_t visited_ = 0;
};

}  // namespace zz::core
