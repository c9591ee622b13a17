#pragma once
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/input/yaml/node.hpp"

namespace zz::core {

/// True when the memory is written in the format of ZigZag 3.1 to 3.8.1, with `r_bw` or `w_bw`.
bool has_legacy_ports(const yaml::Node& memory);

/// Reads one entry of `memories:`, in the format of ZigZag 3.8.5 or, with legacy ports, the older one.
/// `costs_are_open`: costs may be left out. Reports wrong types, missing and unknown keys. find_problems()
/// checks the values later.
Memory read_memory(const std::string& name, const yaml::Node& node, bool costs_are_open,
                   Diagnostics& diagnostics);

}  // namespace zz::core
