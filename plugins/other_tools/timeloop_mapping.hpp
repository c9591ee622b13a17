#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "plugins/other_tools/einsum_layer.hpp"
#include "plugins/other_tools/factor_list.hpp"
#include "plugins/other_tools/timeloop_architecture.hpp"

namespace zz::plugins {

/// A mapping's or a constraints file's words on one node of the architecture.
struct TimeloopDirective {
  enum class Kind { temporal, spatial } kind = Kind::temporal;
  std::string target;
  std::vector<LoopFactor> factors;
  std::vector<std::string> permutation;  ///< loops in upper case, the innermost first
  std::optional<std::int64_t> split;     ///< spatial: so many of the permutation go along X
  core::SourceMark mark;
};

struct TimeloopDirectives {
  bool whole = false;  ///< a mapping: what it does not name is not there
  std::vector<TimeloopDirective> all;
  TimeloopKeeping keeping;
  core::SourceMark mark;
};

/// Reads a mapping of Timeloop ('mapping'), or constraints in a file of their own ('mapspace_constraints',
/// 'architecture_constraints', 'constraints'). Throws InputError with every problem of the file.
TimeloopDirectives read_timeloop_directives(const std::string& path, core::Diagnostics& diagnostics,
                                            const core::Files& files = core::Files::on_disk());

/// Mapping for the layer of `problem` that they stand for: unrolling, hints and order of loops, on top of
/// the hints of the architecture. Loops of an order go to the lowest memory with room. Throws InputError
/// with every directive that zz cannot say.
core::LayerMapping mapping_of(const TimeloopDirectives& directives,
                              const TimeloopArchitecture& architecture, const Einsum& problem);

}  // namespace zz::plugins
