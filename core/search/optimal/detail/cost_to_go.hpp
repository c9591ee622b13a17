#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/mapping/compact_mapping.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {

/// Additive costs of a mapping: a vector of components (energy, busy cycles of a port, ...) for every
/// boundary between two memories of an operand.
///
/// Boundary 0 of an operand lies between its units and its lowest memory, boundary k between its memories
/// k-1 and k. A boundary is *closed* at the multiset of loops below it. The boundaries that are still open
/// when all loops are placed form the operand's final residency: the memories above them hold the whole
/// tensor.
struct LabelCosts {
  int components = 1;
  /// [operand][boundary][multiset * components + component]; infinite: cannot be closed there.
  using Boundaries = std::array<std::vector<std::vector<double>>, max_operands>;
  std::shared_ptr<const Boundaries> boundaries;
  /// [operand][boundaries closed, without boundary 0][component]: costs of the boundaries that are closed
  /// above all loops; infinite: not a possible final residency.
  std::array<std::vector<std::vector<double>>, max_operands> residencies;
  std::vector<double> constant;  ///< by component
  /// The first `compared` components decide dominance. The others are sums of some of these; they exist
  /// because the cost-to-go of a sum is tighter than the sum of costs-to-go. 0: all are compared.
  int compared = 0;

  const double* at(int operand, int boundary, std::size_t multiset) const {
    return &(*boundaries)[operand][boundary][multiset * static_cast<std::size_t>(components)];
  }
};

/// Fill of each operand's lowest memory, as a class of sizes that the cost model cannot tell apart. 0:
/// boundary 1 is open.
using FillClasses = std::array<std::uint16_t, max_operands>;

/// A node of the branching on shared memories: a range of bits for each operand of each MemoryFit::Group,
/// the room that the operand may use.
///
/// The least of one operand is not available to the others. The two branches of split() together contain
/// all mappings of the branch. Once the upper ends of all ranges fit together, operands are independent.
class CapacityBranch {
 public:
  /// The root: every size that a memory can hold.
  CapacityBranch(const TemporalSpace& space, const MemoryFit& fit);

  /// `bits`: MemoryFit::least_bits with the loops below the upper cut.
  bool allow(int operand, int level, double bits) const {
    const Range& range = ranges_[operand][level];
    return bits >= range.least && bits <= range.most;
  }
  double most(int operand, int level) const { return ranges_[operand][level].most; }
  double least(int operand, int level) const { return ranges_[operand][level].least; }

  /// In some memory, not all operands can use the most that they may.
  bool contested() const { return contested_group() != nullptr; }
  /// Halves the widest range of a contested memory. Empty branches are left out.
  std::vector<CapacityBranch> split() const;

 private:
  struct Range {
    double least = 0, most = infinite;  ///< bits
  };
  using Sizes = std::array<std::vector<std::vector<double>>, max_operands>;

  const MemoryFit::Group* contested_group() const;
  bool narrow();
  bool restrict_to_sizes(const MemoryFit::Group::Member& member);

  const MemoryFit* fit_;
  std::shared_ptr<const Sizes> sizes_;  ///< possible sizes of members of groups, rising
  std::array<std::array<Range, max_memory_levels>, max_operands> ranges_{};
};

/// Lower bounds of the costs that a partial mapping must still pay, for the A* bound of LabelSearch. Both
/// are dynamic programs over the lattice, from the full multiset backwards (Bellman, Dynamic Programming,
/// 1957).
///
/// OperandCostToGo lets one operand choose the loop order that is best for it, for each component by
/// itself. It depends on that operand's boundaries and residencies alone. Time and memory: O(multisets *
/// boundaries * (kinds + components)).
class OperandCostToGo {
 public:
  OperandCostToGo(const TemporalSpace& space, const MemoryFit& fit, const LabelCosts& costs, int operand);

  /// By component, with `closed` boundaries closed (without boundary 0) and the loops of `multiset` placed.
  /// While only loops irrelevant to the operand are placed and nothing is closed, boundary 0 is still to be
  /// paid.
  const double* of(int closed, std::size_t multiset) const {
    const bool unpaid = closed == 0 && space_->all_irrelevant(operand_, multiset);
    return unpaid ? &units_[multiset * components_] : between_memories(closed, multiset);
  }
  /// The same with boundary 0 paid.
  const double* between_memories(int closed, std::size_t multiset) const {
    const std::vector<double>& table = memories_[closed];
    return table.empty() ? impossible_.data() : &table[multiset * components_];
  }

 private:
  const TemporalSpace* space_;
  int operand_;
  std::size_t components_;
  std::vector<double> impossible_, units_;
  std::vector<std::vector<double>> memories_;  ///< by closed boundaries; empty beyond the last residency
};

/// OperandCostToGo of all operands. Their sum is a lower bound of the common cost-to-go.
class CostToGo {
 public:
  using Operands = std::array<std::shared_ptr<const OperandCostToGo>, max_operands>;
  explicit CostToGo(Operands operands) : operands_(std::move(operands)) {}
  CostToGo(const TemporalSpace& space, const MemoryFit& fit, const LabelCosts& costs);

  const double* of(int operand, int closed, std::size_t multiset) const {
    return operands_[operand]->of(closed, multiset);
  }
  const double* between_memories(int operand, int closed, std::size_t multiset) const {
    return operands_[operand]->between_memories(closed, multiset);
  }

 private:
  Operands operands_;
};

/// A nonnegative combination of cost components: `energy_weight` * component 0 + `weight` * `component` +
/// `other_weight` * `other`.
struct WeightedSum {
  double energy_weight = 0;
  std::size_t component = 0;
  double weight = 0;
  std::size_t other = 0;
  double other_weight = 0;

  double of(const double* costs) const {
    return (energy_weight > 0 ? energy_weight * costs[0] : 0) +
           (weight > 0 ? weight * costs[component] : 0) +
           (other_weight > 0 ? other_weight * costs[other] : 0);
  }
};

inline constexpr std::size_t max_sums = 128;

/// The least that all open boundaries of all operands cost together, in one loop order for all. Exact for
/// each weighted sum, except for the room in shared memories: only the tiles of operands with open
/// boundaries and the least of the others must fit (CapacityBranch).
///
/// A state has the number of closed boundaries of every operand. That is why a table takes milliseconds and
/// megabytes where CostToGo takes microseconds.
///
/// It is a lower bound: the costs that a search pays from here on are the costs of a path through these
/// states, plus penalties for missing second buffers, which are not negative.
class JointCostToGo {
 public:
  /// For mappings within `branch`. REQUIRES: nonnegative weights, at most max_sums sums.
  JointCostToGo(const TemporalSpace& space, const MemoryFit& fit, const CapacityBranch& branch,
                const LabelCosts& costs, std::vector<WeightedSum> sums);

  using Closed = std::array<std::uint8_t, max_operands>;  ///< closed boundaries, without boundary 0

  const std::vector<WeightedSum>& sums() const { return sums_; }
  /// Some final residency has at least so many closed boundaries.
  bool possible(const Closed& closed) const {
    for (std::size_t operand = 0; operand < operands_; ++operand)
      if (closed[operand] >= counts_[operand]) return false;
    return true;
  }
  /// By weighted sum. REQUIRES: possible(closed). While only loops irrelevant to an operand are placed, its
  /// boundary 0 is still to be paid.
  const double* of(const Closed& closed, std::size_t multiset) const {
    return &table_[(multiset * states_ + state(closed)) * sums_.size()];
  }
  std::size_t memory_bytes() const { return table_.capacity() * sizeof(double); }
  /// Numbers in such a table.
  static double size(const TemporalSpace& space, const MemoryFit& fit, std::size_t sums);

 private:
  std::size_t state(const Closed& closed) const {
    std::size_t state = 0;
    for (std::size_t operand = 0; operand < operands_; ++operand)
      state += closed[operand] * strides_[operand];
    return state;
  }

  std::vector<WeightedSum> sums_;
  std::size_t operands_, states_ = 1;
  std::array<std::size_t, max_operands> strides_{}, counts_{};
  std::vector<double> table_;
};

}  // namespace zz::core
