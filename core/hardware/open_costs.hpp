#pragma once
#include <limits>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/hardware/multi_core_accelerator.hpp"

namespace zz::core {

/// A cost of a memory or of the array's units that the file leaves to a stage, as `auto`. No figure that is
/// reckoned with it looks like one, and check_costs_are_told() finds it.
inline constexpr double open_cost = -std::numeric_limits<double>::infinity();
inline bool is_open(double cost) { return cost == open_cost; }

/// The costs that an accelerator leaves open, in words: "r_cost of memory 'l1'".
std::vector<std::string> open_costs(const Accelerator& accelerator);

/// Throws InputError naming the costs that are open. Whatever counts costs calls it first. [any thread]
void check_costs_are_told(const Accelerator& accelerator);
/// The same for every core.
void check_costs_are_told(const MultiCoreAccelerator& accelerator);

}  // namespace zz::core
