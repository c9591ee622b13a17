#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/optimal/temporal_space.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// How much room each operand needs in each of its memories, by the loops below the memory's upper cut,
/// after the rules of LoopAllocator.
class MemoryFit {
 public:
  MemoryFit(const Layer& layer, const Accelerator& accelerator, const SpatialMapping& spatial_mapping,
            const TemporalSpace& space);

  int levels(int operand) const { return static_cast<int>(memories_[operand].size()); }

  /// Bits that the operand needs in memory `level` with the loops of `vector`. `partial`: the output meets
  /// partial sums there, because a loop that is irrelevant to it remains above the memory's lower cut.
  double bits(int operand, int level, std::size_t vector, bool partial) const {
    const Memory& memory = memories_[operand][level];
    return memory.elements[vector] *
           (partial || memory.partial_always ? memory.partial_bits : memory.final_bits);
  }
  /// The least of that with the upper cut there: as long as a loop that is irrelevant to the output remains
  /// above that, one remains above the lower cut. (It may fall when loops are added.)
  double least_bits(const TemporalSpace& space, int operand, int level, std::size_t vector) const {
    return bits(operand, level, vector, operand == 0 && space.irrelevant_above(operand, vector));
  }
  double capacity(int operand, int level) const { return memories_[operand][level].capacity; }
  bool fits(int operand, int level, std::size_t vector, bool partial) const {
    return bits(operand, level, vector, partial) <= capacity(operand, level);
  }
  /// Finished outputs are shorter than partial sums somewhere, so that `partial` matters.
  bool partial_matters() const { return partial_matters_; }

  /// A memory that cannot hold all of its operands whole, so that what one takes the others lack.
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
    double capacity = 0;
    double partial_bits = 0, final_bits = 0;  ///< of one element
    bool partial_always = false;  ///< an irrelevant loop stands, or is unrolled, above in any mapping
    int group = -1;
    std::vector<double> elements;  ///< by vector
  };
  std::array<std::vector<Memory>, max_operands> memories_;
  std::vector<Group> groups_;
  bool partial_matters_ = false;
};

}  // namespace zz::core
