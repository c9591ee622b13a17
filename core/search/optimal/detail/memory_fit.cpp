#include "core/search/optimal/detail/memory_fit.hpp"

#include <cmath>
#include <fmt/format.h>

#include "core/diagnostics/diagnostics.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/workload/snapped.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {
namespace {

using Products = std::array<double, max_loop_dimensions>;  ///< iterations by loop dimension

/// The elements of an operand that a number of iterations of each loop touches.
class TensorSize {
 public:
  TensorSize(const Layer& layer, int operand, const Rules& rules) {
    for (const std::string& name : layer.operands[operand].dimensions) {
      const int loop = layer.loop_index(name);
      if (loop >= 0 && layer.relevancy(operand, loop) == Relevancy::relevant) relevant_.push_back(loop);
    }
    if (layer.has_relations(operand)) windows_ = windows_of(layer, rules);
  }

  double elements(const Products& products) const {
    double elements = 1;
    for (const int loop : relevant_) elements *= products[loop];
    for (const Window& window : windows_)
      elements *= window.average([&](int loop) { return snapped(products[loop]); });
    return snapped(elements);
  }

 private:
  std::vector<int> relevant_;
  std::vector<Window> windows_;
};

}  // namespace

MemoryFit::MemoryFit(const Layer& layer, const Accelerator& accelerator,
                     const SpatialMapping& spatial_mapping, const TemporalSpace& space,
                     const Rules& rules) {
  const ExponentLattice& lattice = space.lattice();
  const MemoryHierarchy hierarchy(accelerator);
  std::array<std::vector<int>, max_operands> memory_of;  // index into Accelerator::memories
  for (int operand = 0; operand < space.operands(); ++operand) {
    const int memory_operand = hierarchy.operand_index(layer.memory_operand(operand));
    if (memory_operand < 0) {
      throw InputError(fmt::format("layer '{}': no memory of '{}' holds operand {}", layer.name,
                                   accelerator.name, layer.operands[operand].name));
    }
    memory_of[operand] = hierarchy.levels[memory_operand];
    const auto& unrolled = spatial_mapping.operands[operand].levels;
    if (unrolled.size() != memory_of[operand].size() + 1) {
      throw InputError(fmt::format(
          "layer '{}': the spatial mapping has {} levels for operand {}, the accelerator {}", layer.name,
          unrolled.size(), layer.operands[operand].name, memory_of[operand].size() + 1));
    }
    const TensorSize size(layer, operand, rules);
    Products spatial;
    spatial.fill(1);
    for (std::size_t level = 0; level < memory_of[operand].size(); ++level) {
      for (const UnrolledLoop& loop : unrolled[level])
        spatial[layer.loop_index(loop.dimension)] *= loop.factor;
      Memory memory;
      memory.capacity = static_cast<double>(accelerator.memories[memory_of[operand][level]].size);
      memory.partial_bits = static_cast<double>(layer.operands[operand].precision);
      memory.final_bits =
          operand == 0 ? static_cast<double>(layer.final_output_precision) : memory.partial_bits;
      // All temporal loops are above the lower cut of the lowest memory.
      memory.partial_always = operand == 0 && level == 0 && space.irrelevant_above(operand, 0);
      for (std::size_t above = level + 1; above < unrolled.size(); ++above) {
        for (const UnrolledLoop& loop : unrolled[above]) {
          if (layer.relevancy(operand, layer.loop_index(loop.dimension)) == Relevancy::irrelevant)
            memory.partial_always = true;
        }
      }
      if (memory.final_bits != memory.partial_bits && !memory.partial_always) partial_matters_ = true;
      memory.elements.resize(lattice.size());
      for (std::size_t multiset = 0; multiset < lattice.size(); ++multiset) {
        Products products = spatial;
        bool known = false;
        for (std::size_t kind = 0; kind < lattice.kinds().size() && !known; ++kind) {
          // Irrelevant loops change nothing.
          known = space.irrelevant(operand, kind) && lattice.count(multiset, kind) > 0;
          if (known) memory.elements[multiset] = memory.elements[multiset - lattice.stride(kind)];
        }
        if (known) continue;
        for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
          for (int i = lattice.count(multiset, kind); i-- > 0;)
            products[lattice.kinds()[kind].dimension] *= static_cast<double>(lattice.kinds()[kind].size);
        }
        memory.elements[multiset] = size.elements(products);
      }
      memories_[operand].push_back(std::move(memory));
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
