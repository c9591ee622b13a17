#pragma once
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "plugins/other_tools/einsum_layer.hpp"

namespace zz::plugins {

/// Reads a Timeloop problem, version 0.4 (A. Parashar et al., Timeloop, ISPASS 2019): one product of two
/// data spaces. Of two inputs the one without sums of loops in its projection is the weight, else the
/// second. Bits are 8 until an architecture says them.
///
/// Throws InputError with every problem of the file; doubts are warnings in `diagnostics`.
Einsum read_timeloop_problem(const std::string& path, core::Diagnostics& diagnostics,
                             const core::Files& files = core::Files::on_disk());

/// The memory operand of a data space ("I1", "I2", "O"), or "".
std::string memory_operand_of(const Einsum& problem, const std::string& data_space);

}  // namespace zz::plugins
