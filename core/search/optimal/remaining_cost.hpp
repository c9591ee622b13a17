#pragma once
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "core/search/optimal/link_costs.hpp"
#include "core/search/optimal/memory_fit.hpp"
#include "core/search/optimal/temporal_space.hpp"

namespace zz::core {

/// The least that the open links of one operand will cost, by the loops placed so far and the number of
/// links closed so far: the smallest sums that this operand alone could reach, each family by itself. Of
/// LinkCosts, it depends on the links and the endings of this operand alone.
class RemainingOfOperand {
 public:
  RemainingOfOperand(const TemporalSpace& space, const MemoryFit& fit, const LinkCosts& costs, int operand);

  /// By family. While only loops irrelevant to the operand are placed, link 0 is open too.
  const double* of(int closed, std::size_t vector) const {
    return space_->all_irrelevant(operand_, vector) ? &units_[vector * families_]
                                                    : between_memories(closed, vector);
  }
  /// With link 0 closed.
  const double* between_memories(int closed, std::size_t vector) const {
    const std::vector<double>& table = memories_[closed];
    return table.empty() ? impossible_.data() : &table[vector * families_];
  }

 private:
  const TemporalSpace* space_;
  int operand_;
  std::size_t families_;
  std::vector<double> impossible_, units_;
  std::vector<std::vector<double>> memories_;  ///< empty behind the last ending
};

/// That of all operands. What they cost together is never less than the sum over them.
class RemainingCost {
 public:
  using Operands = std::array<std::shared_ptr<const RemainingOfOperand>, max_operands>;
  explicit RemainingCost(Operands operands) : operands_(std::move(operands)) {}
  RemainingCost(const TemporalSpace& space, const MemoryFit& fit, const LinkCosts& costs);

  const double* of(int operand, int closed, std::size_t vector) const {
    return operands_[operand]->of(closed, vector);
  }
  const double* between_memories(int operand, int closed, std::size_t vector) const {
    return operands_[operand]->between_memories(closed, vector);
  }

 private:
  Operands operands_;
};

}  // namespace zz::core
