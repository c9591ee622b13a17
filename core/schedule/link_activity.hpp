#pragma once
#include <vector>

#include "core/schedule/schedule.hpp"

namespace zz::core {

/// What a link is used for.
struct LinkActivity {
  std::vector<int> transfers;  ///< that occupy it, as positions in Schedule::transfers
  std::vector<int> blocks;     ///< that reserve it, as positions in Schedule::blocks
  double active_cycles = 0;    ///< in which at least one of them does
};

/// By link of the accelerator, which the schedule must have. A node that streams reserves the route from
/// the off-chip memory for inputs and the one back for outputs.
std::vector<LinkActivity> link_activity(const Schedule& schedule);

}  // namespace zz::core
