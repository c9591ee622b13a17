#include "core/search/fused/detail/least_costs.hpp"

#include <algorithm>
#include <limits>

namespace zz::core {

std::array<int, max_operands> levels_of(const MultisetTables& tables, int memory) {
  std::array<int, max_operands> levels;
  levels.fill(-1);
  for (std::size_t operand = 0; operand < tables.operands.size(); ++operand)
    for (int level = 0; level + 1 < tables.operands[operand].levels; ++level)
      if (tables.operands[operand].memory[static_cast<std::size_t>(level)] == memory)
        levels[operand] = level;
  return levels;
}

LeastCosts::LeastCosts(const MultisetTables& tables, const std::array<int, max_operands>& home_level,
                       unsigned exchangeable)
    : whole_(tables.operations) {
  for (std::size_t index = 0; index < tables.operands.size(); ++index) {
    const MultisetTables::Operand& operand = tables.operands[index];
    double& units = units_[index];
    units = std::numeric_limits<double>::infinity();
    for (std::size_t multiset = 0; multiset < tables.size; ++multiset)
      if (operand.all_irrelevant[multiset]) units = std::min(units, operand.energy.front()[multiset]);
    const bool leaves = home_level[index] >= 0 && (exchangeable >> index & 1U) != 0;
    const int top = leaves ? home_level[index] : operand.levels - 1;
    for (int boundary = top; boundary > 0; --boundary) {
      const std::vector<double>& energies = operand.energy[static_cast<std::size_t>(boundary)];
      const auto below = static_cast<std::size_t>(boundary - 1);
      rest_[index][below] = rest_[index][below + 1] + *std::min_element(energies.begin(), energies.end());
    }
    whole_ += units + rest_[index].front();
  }
}

}  // namespace zz::core
