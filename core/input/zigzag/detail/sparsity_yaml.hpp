#pragma once
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/input/yaml/form.hpp"
#include "core/input/yaml/node.hpp"
#include "core/mapping/operand_sparsity.hpp"

/// Zeros of operands, and what arrays and memories make of them, in the files.
namespace zz::core {

/// {W: {density: 0.4}, I: {pattern: "2:4", along: C}}
yaml::Form sparsity_form();
/// The same by names of tensors: {"*.W": {density: 0.4}}.
yaml::Form workload_sparsity_form();
/// {W: bitmask}
yaml::Form formats_form();
/// {I: skip, W: gate}
yaml::Form on_zero_form();

// `what` names the map in messages. Wrong parts are added to `diagnostics` as errors and left out.
std::vector<OperandSparsity> read_sparsity(const yaml::Node& node, const std::string& what,
                                           Diagnostics& diagnostics);
/// Keys are names of tensors: those of an accelerator.
std::vector<OperandSparsity> read_workload_sparsity(const yaml::Node& node, const std::string& what,
                                                    Diagnostics& diagnostics);
std::vector<OperandFormat> read_formats(const yaml::Node& node, const std::string& what,
                                        Diagnostics& diagnostics);
std::vector<OperandOnZero> read_on_zero(const yaml::Node& node, const std::string& what,
                                        Diagnostics& diagnostics);

}  // namespace zz::core
