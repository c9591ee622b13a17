#pragma once
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "plugins/other_tools/einsum_layer.hpp"
#include "plugins/other_tools/level_stack.hpp"

namespace zz::core {

struct TimeloopArchitecture {
  LevelStack stack;
  std::vector<UnrollingHint> hints;  ///< of array dimensions for which constraints exclude loops
};

/// Reads a Timeloop architecture, version 0.4, for a problem: components, containers, and parallel
/// memories. Energies are those of `energies`, Accelergy's table (ERT), or 0 where that is "". `problem`
/// gets the bits of its tensors: of a result those of the innermost memory that keeps it.
///
/// Throws InputError with every problem of the files; doubts are warnings in `diagnostics`.
TimeloopArchitecture read_timeloop_architecture(const std::string& path, const std::string& energies,
                                                Einsum& problem, Diagnostics& diagnostics,
                                                const Files& files = Files::on_disk());

}  // namespace zz::core
