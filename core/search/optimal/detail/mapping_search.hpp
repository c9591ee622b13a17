#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/mapping/compact_mapping.hpp"
#include "core/search/optimal/detail/cost_to_go.hpp"
#include "core/search/optimal/detail/label_setting.hpp"
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {

/// The additional cost of a boundary whose lower memory has no second buffer for the operand, and ends with
/// loops irrelevant to it.
///
/// Operands compete for second buffers in a shared memory, as in the cost model. The bits that they hold,
/// without the part that their outermost relevant loops replace, plus the second buffers must not exceed
/// the memory. `sums`: a loop irrelevant to the output remains above the memory's lower cut, so that it
/// holds partial sums.
class SingleBufferPenalty {
 public:
  virtual ~SingleBufferPenalty() = default;
  /// Adds the penalty to `paid`, by component. `kept`: iterations of these outermost irrelevant loops, more
  /// than 1. False: nothing was added.
  virtual bool add(int operand, int boundary, std::size_t multiset, bool sums, std::int64_t kept,
                   double* paid) const = 0;
  /// Memory `level` cannot hold two buffers of the operand, whatever the others hold.
  virtual bool surely_single(int operand, int level, std::size_t multiset, bool sums) const = 0;

  /// Number of memories where operands compete for second buffers.
  virtual std::size_t stores() const = 0;
  virtual int store(int operand, int level) const = 0;  ///< index of such a memory, or -1
  /// The share of memory `level` that the operand holds, without what its outermost relevant loops
  /// (`replaced` iterations) replace. At most 1.
  virtual double share(int operand, int level, std::size_t multiset, bool sums,
                       std::int64_t replaced) const = 0;
};

/// The value of a mapping as a function of its additive costs.
class LabelObjective {
 public:
  virtual ~LabelObjective() = default;

  /// `sums`: by component. Does not fall when a sum rises, nor when a class becomes known.
  virtual double of(const double* sums, const FillClasses& fill) const = 0;
  /// Also given lower bounds of the weighted sums of JointCostToGo. Not below the value without them.
  virtual double of(const double* sums, const FillClasses& fill, const double* joint) const {
    static_cast<void>(joint);
    return of(sums, fill);
  }
  /// The value is infinite where component 0 exceeds this.
  virtual double first_limit() const { return infinite; }
  /// The class of the operand's lowest memory when boundary 1 closes at `multiset`. Labels of different
  /// classes do not dominate each other.
  virtual std::uint16_t fill_class(int operand, std::size_t multiset) const {
    static_cast<void>(operand), static_cast<void>(multiset);
    return 0;
  }
};

/// Component 0 itself.
class FirstComponent : public LabelObjective {
 public:
  double of(const double* sums, const FillClasses&) const override { return sums[0]; }
};

/// Restrictions of a MappingSearch, and the mappings that it tells apart. What the pointers name must
/// outlive it.
struct MappingSearchOptions {
  const SingleBufferPenalty* single_buffer = nullptr;
  /// Labels dominate each other only if everything that any cost follows from is the same, so that mappings
  /// that the costs cannot tell apart are all reported.
  bool keep_all = false;
  FillClasses fill = {};                   ///< only mappings of these classes, where they are not 0
  const JointCostToGo* joint = nullptr;    ///< sharpens bounds
  const CapacityBranch* branch = nullptr;  ///< only mappings within it
};

/// Finds the mapping with the least value of an objective of additive costs, over all orders of the loops
/// and all ways to cut them, for each operand at each memory, that fit into the memories: by label setting
/// (LabelSetting) on the lattice of multisets.
///
/// - A *label* is a partial mapping: the multiset of placed loops, the number of closed boundaries of each
///   operand, and their costs by component (LabelCosts).
/// - An *arc* adds a loop of some kind right above the placed ones. Before that, each operand may close
///   boundaries (Closings), if the data below them fit into the memories.
/// - The *bound* of a label is the objective of its costs plus CostToGo.
/// - *Resources* are the used bits of shared memories. Where one operand's second buffer takes the room of
///   another's, a label branches: it pays the penalty (SingleBufferPenalty), or has a second buffer and
///   less room.
class MappingSearch {
 public:
  using Step = LabelStep;

  /// All references must outlive the search.
  MappingSearch(const SearchProblem& problem, const LabelCosts& costs, const CostToGo& cost_to_go,
                const LabelObjective& objective, const MappingSearchOptions& options = {});
  ~MappingSearch();

  // As LabelSetting says of walks.
  void prefer_deep(double share);
  Step advance(std::size_t labels, double limit);
  double bound() const;
  double least_dropped() const;
  std::size_t visited() const;
  std::size_t memory_bytes() const;

  /// The mapping found; boundaries that are still open close above all loops.
  CompactMapping result() const;
  double result_value() const;

  /// Lower bounds of the costs of the label with the lowest bound, by component. REQUIRES: a label is open.
  std::vector<double> lowest_sums() const;

 private:
  struct Labels;
  std::unique_ptr<Labels> labels_;
};

}  // namespace zz::core
