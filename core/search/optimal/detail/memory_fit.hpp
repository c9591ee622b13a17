#pragma once
#include <array>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/optimal/detail/temporal_space.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The room that each operand needs in each of its memories, by the loops below the memory's upper cut: as
/// AllocationProblem::needed_bits() counts it, without the noise of divisions. LoopAllocator uses the same
/// rules.
class MemoryFit {
 public:
  MemoryFit(const Layer& layer, const Accelerator& accelerator, const SpatialMapping& spatial_mapping,
            const TemporalSpace& space, const Rules& rules);

  int levels(int operand) const { return static_cast<int>(memories_[operand].size()); }

  /// Bits that the operand needs in memory `level` with the loops of `multiset`. `partial`: the memory
  /// holds partial sums of the output, because a loop irrelevant to it remains above the memory's lower
  /// cut.
  double bits(int operand, int level, std::size_t multiset, bool partial) const {
    const Memory& memory = memories_[operand][level];
    return memory.elements[multiset] *
           (partial || memory.partial_always ? memory.partial_bits : memory.final_bits);
  }
  /// The least bits with the upper cut there. A loop irrelevant to the output that remains above the upper
  /// cut also remains above the lower one. (More loops may need fewer bits.)
  double least_bits(const TemporalSpace& space, int operand, int level, std::size_t multiset) const {
    return bits(operand, level, multiset, operand == 0 && space.irrelevant_above(operand, multiset));
  }
  double capacity(int operand, int level) const { return memories_[operand][level].capacity; }
  bool fits(int operand, int level, std::size_t multiset, bool partial) const {
    return bits(operand, level, multiset, partial) <= capacity(operand, level);
  }
  /// Finished outputs are shorter than partial sums in some memory, so that `partial` matters.
  bool partial_matters() const { return partial_matters_; }

  /// A shared memory that cannot hold all of its operands whole: operands compete for its room.
  struct Group {
    double capacity;  ///< bits
    struct Member {
      int operand, level;
    };
    std::vector<Member> members;
  };
  const std::vector<Group>& groups() const { return groups_; }
  int group(int operand, int level) const { return memories_[operand][level].group; }  ///< -1: none

 private:
  struct Memory {
    double capacity = 0;                      ///< bits
    double partial_bits = 0, final_bits = 0;  ///< of one element
    bool partial_always = false;  ///< an irrelevant loop is above, in time or unrolled, in any mapping
    int group = -1;
    std::vector<double> elements;  ///< by multiset
  };
  std::array<std::vector<Memory>, max_operands> memories_;
  std::vector<Group> groups_;
  bool partial_matters_ = false;
};

}  // namespace zz::core
