#pragma once
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "plugins/other_tools/accelforge_workload.hpp"
#include "plugins/other_tools/level_stack.hpp"

namespace zz::plugins {

/// Reads an architecture of AccelForge: memories, containers and units in a row, for a workload whose
/// expressions it may use. Joules become pJ, seconds the cycles of the units. Energies that the file leaves
/// to component models stay open (core/hardware/open_costs.hpp).
///
/// The products get the bits of their sums and their hints: which loops each fanout may take. Throws
/// InputError with every problem of the file; doubts are warnings in `diagnostics`.
LevelStack read_accelforge_architecture(const std::string& path, const TemplateValues& values,
                                        AccelForgeWorkload& workload, core::Diagnostics& diagnostics,
                                        const core::Files& files = core::Files::on_disk());

}  // namespace zz::plugins
