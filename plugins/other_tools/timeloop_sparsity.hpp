#pragma once
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/input/yaml/node.hpp"
#include "plugins/other_tools/einsum_layer.hpp"

namespace zz::plugins {

/// `densities` of a problem's instance. Whatever their distribution, zeros count as independent and
/// uniform. Problems are added to `problems`.
std::vector<core::OperandSparsity> read_timeloop_densities(const core::yaml::Node& node,
                                                           const Einsum& problem,
                                                           core::Diagnostics& problems);

/// The part of `sparse_optimizations` of a component that zz counts.
struct TimeloopOptimizations {
  std::vector<core::OperandFormat> formats;  ///< by the innermost rank
  std::vector<core::OperandOnZero> on_zero;  ///< by what accesses and operations are conditioned on
};
TimeloopOptimizations read_timeloop_optimizations(const core::yaml::Node& node,
                                                  const std::string& component, const Einsum& problem,
                                                  core::Diagnostics& problems);

/// Units that skip zeros of an operand at one place gate none at another.
void add_on_zero(std::vector<core::OperandOnZero>& all, const core::OperandOnZero& one);

}  // namespace zz::plugins
