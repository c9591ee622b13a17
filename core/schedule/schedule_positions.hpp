#pragma once
#include "core/schedule/schedule.hpp"

namespace zz::core {

/// Throws InputError, naming the entry, when a schedule that was read or edited names a node, tensor, core,
/// link or memory that its graph or accelerator does not have: who reads schedules relies on that. Whether
/// it could happen is another question (schedule_check.hpp).
void check_positions(const Schedule& schedule);

}  // namespace zz::core
