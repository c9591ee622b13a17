#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/multicore/schedule/scheduler.hpp"
#include "core/multicore/search/partition.hpp"

namespace zz::core {

/// A point of the space that a search over cuts walks through. The cores are told by layer and not by
/// group, so that they keep a meaning when the cut of a layer changes.
struct PartitionChoice {
  static constexpr int core_slots = 16;
  /// Group g of a layer runs on candidate slots[g % core_slots], counted around.
  using CoreSlots = std::array<std::uint8_t, core_slots>;

  Partition cuts;
  std::vector<CoreSlots> cores;  ///< by layer
  ScheduleChoice order;          ///< but for its cores

  bool operator==(const PartitionChoice&) const = default;
};

/// The core of each gene.
inline std::vector<int> cores_of(const PartitionChoice& choice, const std::vector<Gene>& genes) {
  std::vector<int> cores;
  cores.reserve(genes.size());
  for (const Gene& gene : genes) {
    const int slot = choice.cores[gene.layer][gene.group % PartitionChoice::core_slots];
    cores.push_back(gene.cores[slot % gene.cores.size()]);
  }
  return cores;
}

/// The slots that give these cores, as far as groups share slots.
inline std::vector<PartitionChoice::CoreSlots> slots_of(const std::vector<int>& cores,
                                                        const ScheduleProblem& problem) {
  std::vector<PartitionChoice::CoreSlots> slots(problem.graph()->layers.size());
  for (std::size_t i = problem.genes().size(); i-- > 0;) {
    const Gene& gene = problem.genes()[i];
    const auto candidate = std::find(gene.cores.begin(), gene.cores.end(), cores[i]) - gene.cores.begin();
    slots[gene.layer][gene.group % PartitionChoice::core_slots] = static_cast<std::uint8_t>(candidate);
  }
  return slots;
}

}  // namespace zz::core
