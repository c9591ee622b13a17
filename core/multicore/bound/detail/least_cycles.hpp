#pragma once
#include <vector>

#include "core/hardware/multi_core_accelerator.hpp"

namespace zz::core {

// Least cycles of what is moved between cores, and of what runs on them.

/// Cycles that a bit takes from core to core, [from * cores + to], at the speed of the narrowest link of
/// each leg: directly or over other cores that hand it on, the off-chip one included. None within a memory
/// that both have.
std::vector<double> cycles_of_moved_bit(const MultiCoreAccelerator& accelerator);

/// Cores on which a group takes equally long.
struct GroupCores {
  double cycles = 0;  ///< of a group on one of them
  int cores = 1;
};

/// Cycles until so many groups that are alike have run, each on one core: no assignment to cores takes
/// less. 0 without cores.
double cycles_of_groups(double groups, const std::vector<GroupCores>& cores);

}  // namespace zz::core
