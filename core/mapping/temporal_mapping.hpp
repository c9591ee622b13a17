#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zz::core {

/// Ways to share out loops over memories: `uneven` lets each operand cut the loop nest where it fits best,
/// `even` makes operands that share a memory cut at the same loop.
enum class MappingType { uneven, even };

struct TemporalLoop {
  std::string dimension;
  std::int64_t size = 1;

  bool operator==(const TemporalLoop&) const = default;
};

/// Where one operand cuts the loop nest. cuts[m] is the number of loops, counted from the innermost,
/// whose data the operand's memories 0..m hold; non-decreasing, the last one is the number of loops.
struct OperandTemporalMapping {
  std::string operand;
  std::vector<int> allocated;  ///< cuts as the allocator made them
  /// Cuts after irrelevant loops at the bottom of a level were moved to the level below, where the
  /// same data already is. The cost model uses these.
  std::vector<int> stationary;

  bool operator==(const OperandTemporalMapping&) const = default;
};

/// The order of a layer's temporal loops, innermost first, and per operand how they are allocated to
/// its memories.
struct TemporalMapping {
  std::vector<TemporalLoop> loops;
  std::vector<OperandTemporalMapping> operands;  ///< in equation order
  MappingType type = MappingType::uneven;

  bool operator==(const TemporalMapping&) const = default;
};

}  // namespace zz::core
