#pragma once
#include "core/diagnostics/diagnostics.hpp"
#include "core/hardware/multi_core_accelerator.hpp"
#include "core/input/yaml/map_reader.hpp"

namespace zz::core {

/// A list of core ids, "[0, 1]" or the text "0, 1". Reports what is no list of ids below `core_count`, ids
/// that come twice, and lists of fewer than two. True when all is well.
bool read_core_ids(const yaml::Node& node, const std::string& what, int core_count, std::vector<int>& ids,
                   Diagnostics& diagnostics);

/// The id of a core with a role, or nothing. Reports ids out of range.
std::optional<int> read_role(yaml::MapReader& map, const std::string& key, int core_count,
                             Diagnostics& diagnostics);

/// Reads `graph` into special ids, links and connections. The cores and shared memories are there already;
/// with `cores_are_known` false (some could not be read) it only checks.
void read_graph(const yaml::Node& node, bool cores_are_known, MultiCoreAccelerator& accelerator,
                Diagnostics& diagnostics);

/// Reads `core_connectivity`, `bandwidth` and `unit_energy_cost` of the accelerator's own map likewise; the
/// off-chip core is known.
void read_connectivity(yaml::MapReader& map, bool cores_are_known, MultiCoreAccelerator& accelerator,
                       Diagnostics& diagnostics);

}  // namespace zz::core
