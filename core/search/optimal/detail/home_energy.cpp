#include "core/search/optimal/detail/home_energy.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/compat/rules.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/mapping_problem.hpp"

namespace zz::core {
namespace {

/// By memory; empty: the operands do not all have a home above a memory that serves the whole array.
std::vector<bool> homes_of(const Layer& layer, const Accelerator& accelerator) {
  const MemoryHierarchy& hierarchy = accelerator.hierarchy();
  std::vector<bool> homes(accelerator.memories.size(), false), passed(accelerator.memories.size(), false);
  for (int operand = 0; operand < static_cast<int>(layer.operands.size()); ++operand) {
    const int index = hierarchy.operand_index(layer.memory_operand(operand));
    if (index < 0) return {};
    const std::vector<int>& levels = hierarchy.levels[static_cast<std::size_t>(index)];
    if (levels.size() < 2) return {};
    for (std::size_t level = levels.size(); level-- > levels.size() - 2;)
      if (accelerator.instances(accelerator.memories[static_cast<std::size_t>(levels[level])]) != 1)
        return {};
    homes[static_cast<std::size_t>(levels.back())] = true;
    for (std::size_t level = 0; level + 1 < levels.size(); ++level)
      passed[static_cast<std::size_t>(levels[level])] = true;
  }
  for (std::size_t memory = 0; memory < homes.size(); ++memory)
    if (homes[memory] && passed[memory]) return {};
  return homes;
}

/// Nothing but accesses to the homes cost, and memories of which there are several have room for all.
Accelerator with_homes_alone(const Accelerator& accelerator, const std::vector<bool>& homes) {
  Accelerator alone = accelerator;
  alone.array.unit_energy = 0;
  for (std::size_t index = 0; index < homes.size(); ++index) {
    Memory& memory = alone.memories[index];
    if (!homes[index]) memory.read_cost = memory.write_cost = 0;
    if (accelerator.instances(accelerator.memories[index]) > 1)
      memory.size = std::numeric_limits<std::int64_t>::max() / 2;
  }
  return alone;
}

bool has_the_form(const Layer& layer, const Accelerator& accelerator, const CostModelOptions& model) {
  const auto shares_tiles = [](const Memory& memory) { return memory.shared_tiles; };
  return !accelerator.array.imc && !gives_original_figures(model.rules) &&
         layer.mapping.temporal_ordering.empty() &&
         std::none_of(accelerator.memories.begin(), accelerator.memories.end(), shares_tiles);
}

}  // namespace

std::optional<HomeEnergy> HomeEnergy::of(const Layer& layer,
                                         const std::shared_ptr<const Accelerator>& accelerator,
                                         const CostModelOptions& model) {
  if (!has_the_form(layer, *accelerator, model)) return {};
  const std::vector<bool> homes = homes_of(layer, *accelerator);
  if (homes.empty()) return {};
  auto others = std::make_shared<Accelerator>(*accelerator);
  for (std::size_t memory = 0; memory < homes.size(); ++memory)
    if (homes[memory]) others->memories[memory].read_cost = others->memories[memory].write_cost = 0;
  SpatialUnrolling nothing;
  for (const ArrayDimension& dimension : accelerator->array.dimensions)
    nothing.dimensions.push_back({dimension.name, {}});
  try {
    const MappingProblem given = unrolled_problem(
        layer, std::make_shared<const Accelerator>(with_homes_alone(*accelerator, homes)), nothing, model);
    // Both in docs/limits.md.
    constexpr double most_multisets = 1 << 13;
    constexpr double most_numbers = 1 << 17;
    if (count_multisets(given) > most_multisets) return {};
    const SearchProblem home(given);
    if (JointCostToGo::size(home.space, home.fit, 1) > most_numbers) return {};
    return HomeEnergy(layer, std::move(others), home);
  } catch (const NoResult&) {
    return {};
  } catch (const InputError&) {
    return {};
  }
}

HomeEnergy::HomeEnergy(const Layer& layer, std::shared_ptr<const Accelerator> others,
                       const SearchProblem& home)
    : loops_(layer.loops), others_(std::move(others)), lattice_(home.space.lattice()) {
  for (int loop = 0; loop < static_cast<int>(loops_.size()); ++loop)
    adds_.push_back(layer.relevancy(0, loop) == Relevancy::irrelevant);
  const JointCostToGo joint = least_in_one_order(home, energy_costs(home));
  least_.reserve(lattice_.size());
  for (std::size_t multiset = 0; multiset < lattice_.size(); ++multiset)
    least_.push_back(*joint.of({}, multiset));
}

std::optional<double> HomeEnergy::of(const SpatialUnrolling& unrolling) const {
  std::vector<std::int64_t> factors(loops_.size(), 1);
  for (const ArrayUnrolling& dimension : unrolling.dimensions) {
    for (const SpatialLoop& unrolled : dimension.loops) {
      for (std::size_t loop = 0; loop < loops_.size(); ++loop)
        if (loops_[loop].name == unrolled.dimension) factors[loop] *= unrolled.factor;
    }
  }
  std::int64_t sums = 1, sums_in_time = 1;
  for (std::size_t loop = 0; loop < loops_.size(); ++loop) {
    if (loops_[loop].size % factors[loop] != 0) return {};
    if (!adds_[loop]) continue;
    sums *= loops_[loop].size;
    sums_in_time *= loops_[loop].size / factors[loop];
  }
  if (sums > 1 && sums_in_time == 1) return {};
  std::size_t multiset = 0;
  for (std::size_t kind = 0; kind < lattice_.kinds().size(); ++kind) {
    const LoopKind& loop = lattice_.kinds()[kind];
    std::int64_t& factor = factors[static_cast<std::size_t>(loop.dimension)];
    for (; factor % loop.size == 0; factor /= loop.size) multiset += lattice_.stride(kind);
  }
  return least_[multiset];
}

}  // namespace zz::core
