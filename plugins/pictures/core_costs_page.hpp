#pragma once
#include <string>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/multicore/schedule/core_costs.hpp"

namespace zz::plugins {

/// An HTML page that needs nothing else: for each layer and candidate core the cycles and the energy of all
/// its nodes together, as bars on a logarithmic scale, and what streams.
std::string core_costs_page(const core::CoreCosts& costs, const core::ComputationNodeGraph& graph,
                            const core::MultiCoreAccelerator& accelerator);

}  // namespace zz::plugins
