#include "core/search/optimal/detail/memory_fit.hpp"

#include "core/search/temporal/allocation_problem.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {

MemoryFit::MemoryFit(const Layer& layer, const Accelerator& accelerator,
                     const SpatialMapping& spatial_mapping, const TemporalSpace& space,
                     const Rules& rules) {
  const ExponentLattice& lattice = space.lattice();
  const AllocationProblem problem(layer, accelerator, spatial_mapping, rules);
  std::array<std::array<int, max_memory_levels>, max_operands> memory_of{};  // index into memories
  for (const AllocationProblem::Node& node : problem.nodes)
    for (const AllocationProblem::Held& held : node.held) memory_of[held.operand][held.level] = node.memory;
  for (int index = 0; index < space.operands(); ++index) {
    const AllocationProblem::Operand& operand = problem.operands[index];
    for (int level = 0; level + 1 < static_cast<int>(operand.spatial.size()); ++level) {
      Memory memory;
      memory.capacity = static_cast<double>(accelerator.memories[memory_of[index][level]].size);
      memory.partial_bits = operand.element_bits(false);
      memory.final_bits = operand.element_bits(operand.output);
      // All temporal loops are above the lower cut of the lowest memory.
      memory.partial_always = operand.irrelevant_above[level + 1] ||
                              (operand.output && level == 0 && space.irrelevant_above(index, 0));
      if (memory.final_bits != memory.partial_bits && !memory.partial_always) partial_matters_ = true;
      const AllocationProblem::Products unrolled = problem.unrolled_below(operand, level);
      memory.elements.resize(lattice.size());
      for (std::size_t multiset = 0; multiset < lattice.size(); ++multiset) {
        AllocationProblem::Products iterations = unrolled;
        bool known = false;
        for (std::size_t kind = 0; kind < lattice.kinds().size() && !known; ++kind) {
          // Irrelevant loops change nothing.
          known = space.irrelevant(index, kind) && lattice.count(multiset, kind) > 0;
          if (known) memory.elements[multiset] = memory.elements[multiset - lattice.stride(kind)];
        }
        if (known) continue;
        for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
          for (int i = lattice.count(multiset, kind); i-- > 0;)
            iterations[lattice.kinds()[kind].dimension] *= static_cast<double>(lattice.kinds()[kind].size);
        }
        for (int loop = 0; loop < problem.dimensions; ++loop) iterations[loop] = snapped(iterations[loop]);
        memory.elements[multiset] = snapped(problem.tensor_elements(operand, iterations));
      }
      memories_[index].push_back(std::move(memory));
    }
  }
  for (std::size_t index = 0; index < accelerator.memories.size(); ++index) {
    Group group{static_cast<double>(accelerator.memories[index].size), {}};
    double whole = 0;
    for (int operand = 0; operand < space.operands(); ++operand) {
      for (int level = 0; level < levels(operand); ++level) {
        if (memory_of[operand][level] != static_cast<int>(index)) continue;
        group.members.push_back({operand, level});
        whole += bits(operand, level, lattice.full(), true);
      }
    }
    if (group.members.size() < 2 || whole <= group.capacity) continue;
    for (const Group::Member& member : group.members)
      memories_[member.operand][member.level].group = static_cast<int>(groups_.size());
    groups_.push_back(std::move(group));
  }
}

}  // namespace zz::core
