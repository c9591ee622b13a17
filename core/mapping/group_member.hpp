#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/mapping/temporal_mapping.hpp"

namespace zz::core {

/// Where an operand of a fused layer is between the iterations of its shared loops.
struct MemberOperand {
  std::string operand;
  std::string role;             ///< "exchanged", "kept" or "brought" (docs/glossary.md)
  std::int64_t depth = 0;       ///< of what is exchanged or kept: so many shared loops are above its tile
  std::string exchange_memory;  ///< its name, of what is exchanged or kept

  bool operator==(const MemberOperand&) const = default;
};

/// A layer as a member of its fused group, which one core runs. The shared loops are the outermost ones of
/// its temporal mapping.
struct GroupMember {
  std::int64_t group = 1;               ///< of the network, in the order in which they run; from 1
  std::string exchange_memory;          ///< its name
  std::vector<TemporalLoop> shared;     ///< outermost first
  std::int64_t with_next = 0;           ///< so many of them are shared with the next layer
  std::vector<MemberOperand> operands;  ///< in equation order

  bool operator==(const GroupMember&) const = default;
};

}  // namespace zz::core
