#include "core/search/optimal/detail/cost_change.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace zz::core {
namespace {

std::vector<double*> costs_of(Accelerator& accelerator) {
  std::vector<double*> costs{&accelerator.array.unit_energy};
  for (Memory& memory : accelerator.memories) {
    costs.push_back(&memory.read_cost);
    costs.push_back(&memory.write_cost);
  }
  return costs;
}

/// Without what bears on no mapping.
void drop_areas(Accelerator& accelerator) {
  accelerator.array.unit_area = 0;
  for (Memory& memory : accelerator.memories) memory.area = 0;
}

}  // namespace

std::optional<CostChange> cost_change(const Accelerator& before, const Accelerator& after) {
  if (before.array.imc || after.array.imc || before.memories.size() != after.memories.size()) return {};
  Accelerator old = before;
  CostChange change{.rest = after};
  drop_areas(old);
  drop_areas(change.rest);
  const std::vector<double*> old_costs = costs_of(old), new_costs = costs_of(change.rest);
  change.kept = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < old_costs.size(); ++i) {
    change.none = change.none && *old_costs[i] == *new_costs[i];
    if (*old_costs[i] > 0) change.kept = std::min(change.kept, *new_costs[i] / *old_costs[i]);
  }
  // Where nothing cost anything, nothing is kept.
  if (change.kept == std::numeric_limits<double>::infinity()) change.kept = change.none ? 1 : 0;
  std::vector<double> rest;
  for (std::size_t i = 0; i < old_costs.size(); ++i) {
    rest.push_back(std::max(0.0, *new_costs[i] - change.kept * *old_costs[i]));
    *old_costs[i] = *new_costs[i];
  }
  if (!(old == change.rest)) return {};
  for (std::size_t i = 0; i < rest.size(); ++i) *new_costs[i] = rest[i];
  return change;
}

}  // namespace zz::core
