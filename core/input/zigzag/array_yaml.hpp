#pragma once
#include "core/diagnostics/diagnostics.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/input/yaml/node.hpp"

namespace zz::core {

/// Reads `operational_array:` of plain multipliers or, with `is_imc: true`, of in-memory-computing cells.
/// Reports wrong types, missing and unknown keys; what the values must satisfy is found later
/// (find_problems).
OperationalArray read_operational_array(const yaml::Node& node, Diagnostics& diagnostics);

}  // namespace zz::core
