#pragma once
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/compat/rules.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/workload/workload.hpp"
#include "plugins/other_tools/scale_sim_config.hpp"

namespace zz::plugins {

enum class ScaleSimInput { by_header, convolutions, products };

/// The layers of a SCALE-Sim topology (.csv) as the simulator runs them on an array: each is a product
/// (pixels x window by window x filters), its unrolling and order are those of the dataflow.
///
/// Rows without an entry are passed over, as are those that hold a title only, with a warning in
/// `diagnostics`. Throws InputError with every problem of the file.
core::Workload read_scale_sim_topology(const std::string& path, ScaleSimInput input,
                                       const ScaleSimConfig& config, core::Diagnostics& diagnostics,
                                       const core::Files& files = core::Files::on_disk());

/// The layers as they are, convolutions with their windows, each with its entry of `mapping`.
///
/// Throws InputError with every problem of the file; doubts are warnings in `diagnostics`.
core::Workload read_scale_sim_topology(const std::string& path, ScaleSimInput input,
                                       const core::MappingFile& mapping, const core::Rules& rules,
                                       core::Diagnostics& diagnostics,
                                       const core::Files& files = core::Files::on_disk());

}  // namespace zz::plugins
