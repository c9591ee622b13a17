#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/base/source_mark.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "plugins/other_tools/einsum_layer.hpp"
#include "plugins/other_tools/level_stack.hpp"

namespace zz::plugins {

/// A node of the architecture that holds data or has copies, as directives name it.
struct TimeloopPlace {
  std::string name;
  bool is_memory = false;
  std::vector<std::string> meshes;  ///< array dimensions of its copies, X before Y
};

/// Data spaces that a node keeps and bypasses, said outside of the architecture.
struct TimeloopKept {
  std::vector<std::string> keep, bypass;
  core::SourceMark mark = {};
};
using TimeloopKeeping = std::map<std::string, TimeloopKept>;  // by node

struct TimeloopArchitecture {
  LevelStack stack;
  std::vector<TimeloopPlace> places;       ///< the outermost first
  std::vector<core::UnrollingHint> hints;  ///< of array dimensions for which constraints exclude loops
};

/// Reads a Timeloop architecture, version 0.4, for a problem: components, containers, and parallel
/// memories. Energies are those of `energies`, Accelergy's table (ERT), or 0 where that is "". `problem`
/// gets the bits of its tensors: of a result those of the innermost memory that keeps it. `keeping` comes
/// before what the architecture itself says of data spaces. With `mapped`, a mapping gives all loops, and
/// what the architecture's constraints say of loops binds nothing.
///
/// Throws InputError with every problem of the files; doubts are warnings in `diagnostics`.
TimeloopArchitecture read_timeloop_architecture(const std::string& path, const std::string& energies,
                                                const TimeloopKeeping& keeping, bool mapped,
                                                Einsum& problem, core::Diagnostics& diagnostics,
                                                const core::Files& files = core::Files::on_disk());

}  // namespace zz::plugins
