#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/group_member.hpp"
#include "core/search/fused/exchange_memories.hpp"
#include "core/search/fused/fused_network.hpp"
#include "core/search/optimal/mapping_problem.hpp"

namespace zz::core {

/// A loop that the nests of several neighbouring layers begin with, and that runs once for all of them.
struct SharedLoop {
  int axis = 0;  ///< of FusedNetwork
  /// Tiles of the axis, of which the last may be shorter where the axis is lengthened(). In the search for
  /// groups these are the tiles of the length.
  std::int64_t iterations = 1;

  bool operator==(const SharedLoop&) const = default;
};

/// The role of an operand of a layer between the iterations of its shared loops.
struct FusedOperand {
  enum class Role {
    brought,  ///< from the topmost memory and back, anew in each iteration
    kept,  ///< in the exchange memory: brought once for all iterations of the shared loops from `depth` on
    exchanged,  ///< never beyond the exchange memory, where another layer writes or reads it
  };
  Role role = Role::brought;
  /// Number of outermost shared loops above the tile of what is kept or exchanged.
  int depth = 0;

  bool operator==(const FusedOperand&) const = default;
};

/// A layer as a member of a group.
struct FusedLayer {
  std::vector<SharedLoop> shared;  ///< outermost first
  int with_next = 0;               ///< so many of them are shared with the next layer
  std::array<FusedOperand, max_operands> operands;
  /// Where operands are kept or exchanged: index into Accelerator::memories of the array, see
  /// NetworkLayer::memory(); -1: none is. The same for all layers of a mapping that have one.
  int exchange_memory = -1;
  MappingProblem problem;  ///< on the accelerator as this layer sees it: see exchanging()
  CompactMapping mapping;  ///< the whole nest, shared loops included
  double energy = 0;       ///< pJ, as the cost model has it
  double latency = 0;      ///< cycles, as the cost model has it: phases follow each other
};

/// A run of the layers of a network on one core: a tree of loops, of which neighbours share the outermost.
struct FusedMapping {
  Numbered<FusedLayer> layers;
};

/// Neighbouring layers that exchange something on chip, or share loops.
struct FusedGroup {
  int first = 0, last = 0;  ///< layers
};
std::vector<FusedGroup> groups_of(const FusedNetwork& network, const FusedMapping& mapping);

/// Groups of as many layers with the same figures, as those of repeated blocks: the first of them.
struct RepeatedGroup {
  FusedGroup group;
  int times = 1;
  double unfused = 0, fused = 0;                  ///< pJ of one
  double unfused_latency = 0, fused_latency = 0;  ///< cycles of one, layer by layer
};
std::vector<RepeatedGroup> distinct_groups(const FusedNetwork& network, const FusedMapping& mapping);

/// The members of groups, by layer and in words; none for those in no group.
std::vector<std::optional<GroupMember>> members_of(const FusedNetwork& network,
                                                   const FusedMapping& mapping);

/// The memory of the array in which layers exchange or keep something; -1: none does.
int exchange_memory_of(const FusedMapping& mapping);

/// Name of a memory of the array.
const std::string& exchange_memory_name(const FusedNetwork& network, int exchange_memory);

/// The operand of the layer is a tensor that may stay on chip, and the layer may leave it in this memory of
/// the array, or find it there.
bool may_exchange(const FusedNetwork& network, std::size_t layer, int operand, int exchange_memory);

/// The problem of a layer as a member of a group where these memory operands are exchanged in a memory of
/// the array: on the accelerator as it sees it.
MappingProblem seen_in_group(const NetworkLayer& layer, int exchange_memory,
                             const std::vector<std::string>& exchanged);
MappingProblem seen_in_group(const NetworkLayer& layer, const FusedLayer& member);

}  // namespace zz::core
