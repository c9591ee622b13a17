#include "core/search/fused/detail/least_costs.hpp"

#include <algorithm>
#include <limits>

namespace zz::core {

LeastCosts::LeastCosts(const MultisetTables& tables, int exchange_memory, OperandSet exchangeable)
    : whole_(tables.operations) {
  for (std::size_t index = 0; index < tables.operands.size(); ++index) {
    const MultisetTables::Operand& operand = tables.operands[index];
    double& units = units_[index];
    units = std::numeric_limits<double>::infinity();
    for (std::size_t multiset = 0; multiset < tables.size; ++multiset)
      if (operand.all_irrelevant[multiset]) units = std::min(units, operand.energy.front()[multiset]);
    int top = 0;  // where it may leave the layer
    const bool may_leave = exchangeable.has(static_cast<int>(index));
    while (top + 1 < operand.levels && !(may_leave && operand.memory[top] == exchange_memory)) ++top;
    for (int boundary = top; boundary > 0; --boundary) {
      const std::vector<double>& energies = operand.energy[boundary];
      const auto below = static_cast<std::size_t>(boundary - 1);
      rest_[index][below] = rest_[index][below + 1] + *std::min_element(energies.begin(), energies.end());
    }
    whole_ += units + rest_[index].front();
  }
}

}  // namespace zz::core
