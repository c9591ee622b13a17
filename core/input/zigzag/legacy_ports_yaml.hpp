#pragma once
#include <string>
#include <vector>

#include "core/diagnostics/diagnostics.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/input/yaml/map_reader.hpp"

namespace zz::core {

/// True when the memory is written in the format of ZigZag 3.1 to 3.8.1.
bool has_legacy_ports(const yaml::Node& memory);

/// Reads the ports of such a memory: `r_bw`, `w_bw`, their granularities, the counts of ports, and `ports`,
/// a list parallel to the memory's operands of maps from direction to port name.
std::vector<Port> read_legacy_ports(yaml::MapReader& map, const std::vector<std::string>& operands,
                                    const yaml::Node& memory, Diagnostics& diagnostics);

}  // namespace zz::core
