#pragma once
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/mapping/temporal_mapping.hpp"
#include "core/search/temporal/allocation_problem.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Holds mappings that somebody else made to the rules by which the searches make theirs. What does not
/// depend on the temporal mapping is worked out once, in the constructor. Refers to layer and accelerator,
/// which must outlive it.
///
/// Threads: const functions may be called concurrently.
class MappingCheck {
 public:
  /// Throws InputError when the spatial mapping is not one of this layer on this accelerator: other
  /// operands or levels, loops that the layer lacks, more units than there are, more of a loop than it has.
  MappingCheck(const Layer& layer, const Accelerator& accelerator, const SpatialMapping& spatial_mapping,
               const Rules& rules);

  /// Throws InputError when the mapping is not one of this layer, NoResult when its loops are not exactly
  /// what remains in time, when a memory is too small for what it is to hold, or when tiles that are shared
  /// (Memory::shared_tiles) end at different loops.
  void check(const TemporalMapping& mapping) const;
  /// The same without a look at sizes of memories and at shared tiles.
  CompactMapping check_loops(const TemporalMapping& mapping) const;

  /// Contents of a memory at most in a mapping that passes check(). They do not depend on sizes of
  /// memories.
  struct Room {
    int memory = 0;   ///< index into Accelerator::memories
    int operand = 0;  ///< the only one there, or -1
    double bits = 0;

    /// A memory of this size has the room.
    bool fits(double size) const { return bits <= size * (1 + 1e-9); }
  };
  std::vector<Room> needed_room(const CompactMapping& mapping) const;

  /// Throws NoResult when tiles that are shared end at different loops; `where` is in front.
  void check_shared_tiles(const CompactMapping& mapping, const std::string& where) const;

 private:
  void check_room(const CompactMapping& mapping) const;

  const Layer& layer_;
  const Accelerator& accelerator_;
  AllocationProblem problem_;
  std::vector<RemainingLoop> remaining_;
  std::vector<int> levels_;  ///< of each operand
};

}  // namespace zz::core
