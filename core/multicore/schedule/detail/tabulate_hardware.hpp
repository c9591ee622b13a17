#pragma once
#include <string>

#include "core/multicore/schedule/schedule_tables.hpp"

namespace zz::core {

// The first two steps of building the tables of a problem. Both throw InputError for what cannot be
// scheduled at all.

/// Memories, memory operands and routes between cores.
void tabulate_hardware(ScheduleProblem::Tables& tables);

/// Costs of nodes on cores, groups and genes. Needs the tables of the hardware.
void tabulate_costs(ScheduleProblem::Tables& tables);

}  // namespace zz::core
