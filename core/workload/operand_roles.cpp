#include "core/workload/operand_roles.hpp"

#include <algorithm>
#include <vector>

namespace zz::core {
namespace {

bool walks_first_relation(const Layer& layer, int operand) {
  if (layer.relations.empty()) return false;
  const auto& dimensions = layer.operands[operand].dimensions;
  return std::find(dimensions.begin(), dimensions.end(), layer.relations.front().data) != dimensions.end();
}

}  // namespace

OperandRoles operand_roles(const Layer& layer) {
  std::vector<int> constant;
  std::vector<int> variable;
  for (int operand = 1; operand < static_cast<int>(layer.operands.size()); ++operand)
    (layer.operands[operand].constant ? constant : variable).push_back(operand);

  if (constant.empty()) {
    if (variable.empty()) return {};
    return variable.size() == 1 ? OperandRoles{variable[0], -1} : OperandRoles{variable[1], variable[0]};
  }
  if (!variable.empty()) return {variable.front(), constant.front()};
  if (constant.size() == 1) return {-1, constant.front()};
  const bool second = walks_first_relation(layer, constant[1]);
  return second ? OperandRoles{constant[1], constant[0]} : OperandRoles{constant[0], constant[1]};
}

bool has_constant_input(const Layer& layer) {
  return std::any_of(layer.operands.begin(), layer.operands.end(),
                     [](const LayerOperand& operand) { return operand.constant; });
}

}  // namespace zz::core
