#pragma once
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/input/yaml/node.hpp"

namespace zz::core {

/// Reads a cost: a number, or `auto`, which becomes open_cost. `what` names it in messages.
void read_cost(const yaml::Node& value, const std::string& what, double& target, Diagnostics& diagnostics);

}  // namespace zz::core
