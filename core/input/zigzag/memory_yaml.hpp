#pragma once
#include <string>

#include "core/diagnostics/diagnostics.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/input/yaml/node.hpp"

namespace zz::core {

/// Reads one entry of `memories:`, in the format of ZigZag 3.8.5 or, when it has `r_bw` or `w_bw`, in that
/// of ZigZag 3.1 to 3.8.1. Reports wrong types, missing and unknown keys; what the values must satisfy is
/// found later (find_problems).
Memory read_memory(const std::string& name, const yaml::Node& node, Diagnostics& diagnostics);

}  // namespace zz::core
