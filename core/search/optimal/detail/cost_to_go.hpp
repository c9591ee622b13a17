#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/search/optimal/detail/capacity_branch.hpp"
#include "core/search/optimal/detail/label_costs.hpp"
#include "core/search/optimal/detail/memory_fit.hpp"
#include "core/search/optimal/detail/temporal_space.hpp"

namespace zz::core {

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
  /// While only loops irrelevant to the operand are placed, boundary 0 is still to be paid.
  const double* of(int closed, std::size_t multiset) const {
    return space_->all_irrelevant(operand_, multiset) ? &units_[multiset * components_]
                                                      : between_memories(closed, multiset);
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
