#include "core/cost/memory_use.hpp"

namespace zz::core {
namespace {

using Shares = std::array<PerLevel<double>, max_operands>;

void add_sharers(const CostTables& tables, const Shares& own, Shares& shared) {
  shared = own;
  for (const auto& group : tables.share_groups) {
    double sum = 0;
    for (const OperandLevel& member : group) sum += own[member.operand][member.level];
    for (const OperandLevel& member : group) shared[member.operand][member.level] = sum;
  }
}

}  // namespace

MemoryUse::MemoryUse(const CostTables& tables, const DataFootprint& data) {
  Shares effective{};
  own = {};
  for (int index = 0; index < tables.operand_count; ++index) {
    const OperandTable& operand = tables.operands[index];
    for (int level = 0; level < operand.levels; ++level) {
      own[index][level] = data.operands[index].bits[level + 1] / operand.size[level];
      effective[index][level] = data.operands[index].effective_bits[level + 1] / operand.size[level];
    }
  }
  add_sharers(tables, own, shared);

  // One operand after the other claims room for its second buffer; the order is that of the equation.
  Shares claimed;
  add_sharers(tables, effective, claimed);
  for (int index = 0; index < tables.operand_count; ++index) {
    const OperandTable& operand = tables.operands[index];
    double_buffered[index][0] = false;
    for (int level = 0; level < operand.levels; ++level) {
      bool fits = claimed[index][level] <= 0.5;
      if (!fits && effective[index][level] <= 1 - claimed[index][level]) {
        fits = true;
        if (const int group = operand.share_group[level]; group >= 0) {
          for (const OperandLevel& member : tables.share_groups[group]) {
            claimed[member.operand][member.level] += effective[index][level];
          }
        }
      }
      double_buffered[index][level + 1] = fits;
    }
  }
}

}  // namespace zz::core
