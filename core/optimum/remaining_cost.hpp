#pragma once
#include <array>
#include <vector>

#include "core/optimum/link_costs.hpp"
#include "core/optimum/memory_fit.hpp"
#include "core/optimum/temporal_space.hpp"

namespace zz::core {

/// The least that the open links of one operand will cost, by the loops placed so far and the number of
/// links closed so far: the smallest sums that this operand alone could reach, each family by itself. What
/// the operands cost together is therefore never less than the sum over them.
class RemainingCost {
 public:
  RemainingCost(const TemporalSpace& space, const MemoryFit& fit, const LinkCosts& costs);

  /// By family. While only loops irrelevant to the operand are placed, link 0 is open too.
  const double* of(int operand, int closed, std::size_t vector) const {
    const auto& table =
        space_->all_irrelevant(operand, vector) ? units_[operand] : memories_[operand][closed];
    return &table[vector * families_];
  }

 private:
  const TemporalSpace* space_;
  std::size_t families_;
  std::array<std::vector<std::vector<double>>, max_operands> memories_;
  std::array<std::vector<double>, max_operands> units_;
};

}  // namespace zz::core
