#pragma once
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/input/yaml/node.hpp"
#include "core/mapping/layer_mapping.hpp"

namespace zz::core {

/// Reads `operand_precision: {W: mxfp4, I: 8, O: 24, O_final: 8}`; `what` names it in messages. Operands
/// that are unknown and bits that no number has are added to `diagnostics` as errors.
std::vector<OperandPrecision> read_precisions(const yaml::Node& node, const std::string& what,
                                              Diagnostics& diagnostics);

}  // namespace zz::core
