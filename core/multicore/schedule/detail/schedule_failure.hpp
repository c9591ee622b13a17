#pragma once
#include <string>

#include "core/multicore/schedule/schedule_tables.hpp"

namespace zz::core {

/// Why an allocation cannot be scheduled, as numbers: a search meets thousands of failures.
struct ScheduleFailure {
  enum class Kind {
    none,
    tensor_too_large,  ///< for a memory even when that is empty
    memory_full,       ///< of tensors that must stay
    overflow,          ///< of a memory at a later time, when the tensor is added at this one
    offchip_full,
    offchip_uncounted,  ///< the off-chip memory may be full: repeat with exact counting
    no_memory,          ///< of the core for an operand
    nobody_has_it,
    no_way,  ///< between two cores, or two memories of one
  };
  Kind kind = Kind::none;
  int node = -1;  ///< the node at hand; -1: before the first one
  int tensor = -1;
  int memory = -1;  ///< or -1
  int core = -1;
  int memory_operand = -1;
  double missing = 0;  ///< bits
};

/// The failure as a sentence that names node, tensor and memory, and says what would help.
std::string to_string(const ScheduleFailure& failure, const ScheduleProblem::Tables& tables);

}  // namespace zz::core
