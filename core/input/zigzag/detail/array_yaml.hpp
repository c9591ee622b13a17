#pragma once
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/hardware/accelerator_check.hpp"
#include "core/input/yaml/node.hpp"

namespace zz::core {

/// Reads `operational_array:` of plain multipliers or, with `is_imc: true`, of in-memory-computing cells.
/// `costs_are_open`: costs may be left out. Reports wrong types, missing and unknown keys. find_problems()
/// checks the values later.
OperationalArray read_operational_array(const yaml::Node& node, Units units, bool costs_are_open,
                                        Diagnostics& diagnostics);

}  // namespace zz::core
