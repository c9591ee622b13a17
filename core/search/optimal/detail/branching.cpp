#include "core/search/optimal/detail/branching.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace zz::core {

Children split_by_class(const SubproblemBounds& bounds, const Subproblem& node, double limit) {
  constexpr std::size_t most_parts = 4096;
  const OneTimeLoads& once = bounds.costs().once();
  std::size_t count = 1;
  FillClasses last{};
  for (int operand = 0; operand < bounds.problem().space.operands(); ++operand) {
    if (node.fill[operand] != 0 || !node.loading->ports().class_matters(operand)) continue;
    if (!once.all_classified(operand)) return std::nullopt;
    last[operand] = once.classes(operand);
    count *= last[operand];
    if (count > most_parts) return std::nullopt;
  }
  if (count == 1) return std::nullopt;
  const double enough = (node.bound + limit) / 2;
  std::vector<Subproblem> children(count, node);
  for (std::size_t index = 0; index < count; ++index) {
    std::size_t rest = index;
    for (int operand = 0; operand < bounds.problem().space.operands(); ++operand) {
      if (last[operand] == 0) continue;
      children[index].fill[operand] = static_cast<std::uint16_t>(1 + rest % last[operand]);
      rest /= last[operand];
    }
    children[index].search = {};
    children[index].with_classes = true;
    if (!(bounds.least_value(children[index]) >= enough)) return std::nullopt;
  }
  return children;
}

Children split_by_capacity(const SubproblemBounds& bounds, const Subproblem& node) {
  if (!(node.most_stalls < infinite)) return std::nullopt;
  std::vector<CapacityBranch> branches;
  if (!node.branch)
    branches.emplace_back(bounds.problem().space, bounds.problem().fit);
  else if (node.branch->contested())
    branches = node.branch->split();
  else
    return std::nullopt;
  const auto mixtures =
      LagrangianBound::mixtures(bounds.latency_components(node), node.search->labels.lowest_sums());
  std::vector<Subproblem> children;
  for (const CapacityBranch& branch : branches) {
    Subproblem& child = children.emplace_back(node);
    child.mixtures = mixtures;
    child.branch = std::make_shared<const CapacityBranch>(branch);
    child.tables = {};
    child.search = {};
  }
  return children;
}

}  // namespace zz::core
