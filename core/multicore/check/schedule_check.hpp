#pragma once
#include <string>
#include <vector>

#include "core/multicore/schedule/schedule.hpp"

namespace zz::core {

/// A rule of physics that a schedule breaks.
struct ScheduleViolation {
  std::string rule;  ///< "core overlap", "input missing", "memory", ...: docs/scheduling.md lists them
  std::string what;  ///< names node, tensor, memory or link, and the cycle
};

/// Replays a schedule from its lists alone and reports whatever could not happen: a core, link or memory
/// used twice or beyond its capacity, a node that starts before its inputs are there, data that appear or
/// vanish, energies that do not add up. Shares no code with the scheduler. At most `most` violations.
std::vector<ScheduleViolation> find_violations(const Schedule& schedule, std::size_t most = 100);

}  // namespace zz::core
