#include "core/search/optimal/detail/cost_change.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/search/temporal/allocation_problem.hpp"

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

bool sizes_differ(const Accelerator& a, const Accelerator& b) {
  return !std::ranges::equal(a.memories, b.memories, {}, &Memory::size, &Memory::size);
}

/// Takes over the sizes after of the memories that have room for everything with both.
void drop_ample_sizes(const MappingProblem& before, Accelerator& old, const Accelerator& after) {
  const AllocationProblem problem(*before.layer, *before.accelerator, *before.fractional,
                                  before.options.rules);
  AllocationProblem::Products all{};
  for (int loop = 0; loop < problem.dimensions; ++loop)
    all[loop] = static_cast<double>(before.layer->loops[loop].size);
  for (const AllocationProblem::Node& node : problem.nodes) {
    double bits = 0;
    for (const AllocationProblem::Held& held : node.held) {
      const AllocationProblem::Operand& operand = problem.operands[held.operand];
      bits += std::max(problem.needed_bits(operand, all, false),
                       problem.needed_bits(operand, all, operand.output));
    }
    std::int64_t& size = old.memories[node.memory].size;
    const std::int64_t size_after = after.memories[node.memory].size;
    if (static_cast<double>(std::min(size, size_after)) >= 2 * bits * (1 + rounding_tolerance))
      size = size_after;
  }
}

}  // namespace

std::optional<CostChange> cost_change(const MappingProblem& before, const Accelerator& after) {
  Accelerator old = *before.accelerator;
  if (old.array.imc || after.array.imc || old.memories.size() != after.memories.size()) return {};
  CostChange change{.rest = after};
  drop_areas(old);
  drop_areas(change.rest);
  if (sizes_differ(old, after)) drop_ample_sizes(before, old, after);
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
