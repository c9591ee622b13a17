#pragma once
#include "core/base/diagnostics.hpp"
#include "core/hardware/multi_core_accelerator.hpp"
#include "core/input/yaml/map_reader.hpp"

namespace zz::core {

/// Reads a list of core ids, "[0, 1]" or the text "0, 1". Reports ids of `core_count` or more, repeated
/// ids, and lists of fewer than two. True when nothing was reported.
bool read_core_ids(const yaml::Node& node, const std::string& what, int core_count, std::vector<int>& ids,
                   Diagnostics& diagnostics);

/// Reads the id of a core with a role, if the key is there. Reports ids out of range.
std::optional<int> read_role(yaml::MapReader& map, const std::string& key, int core_count,
                             Diagnostics& diagnostics);

/// Reads `graph` into special ids, links and connections. The cores and shared memories are there already;
/// with `cores_are_known` false (some could not be read) it only checks.
void read_graph(const yaml::Node& node, bool cores_are_known, MultiCoreAccelerator& accelerator,
                Diagnostics& diagnostics);

/// The same for `core_connectivity`, `bandwidth` and `unit_energy_cost`, which stand in the map of the
/// accelerator. REQUIRES: the off-chip core is known.
void read_connectivity(yaml::MapReader& map, bool cores_are_known, MultiCoreAccelerator& accelerator,
                       Diagnostics& diagnostics);

}  // namespace zz::core
