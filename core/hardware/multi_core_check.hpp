#pragma once
#include "core/base/diagnostics.hpp"
#include "core/hardware/multi_core_accelerator.hpp"

namespace zz::core {

/// Routes between all pairs of cores are kept. docs/limits.md names both limits.
inline constexpr std::size_t most_cores = 256;
/// Bits per cycle. The scheduler counts rates in steps of 1/1024.
inline constexpr double smallest_link_bandwidth = 0.001;

/// Reports what is wrong with the given parts of an accelerator (not with its derived tables or its cores):
/// ids out of range, links that carry nothing or cost less than nothing, memories that are said to be
/// shared but differ.
void check_multi_core(const MultiCoreAccelerator& accelerator, Diagnostics& diagnostics);

/// Reports the cores that have no way to each other and no memory in common.
void check_routes(const MultiCoreAccelerator& accelerator, Diagnostics& diagnostics);

}  // namespace zz::core
