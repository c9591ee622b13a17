#pragma once
#include "core/base/diagnostics.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Reads `dimension_relations`, `pr_loop_dims`, `pr_loop_sizes` and `padding` of a layer into
/// layer.relations, sizes included. `has_loops`: the loops of the layer were read without errors. False
/// when something was reported.
bool read_relations(yaml::MapReader& map, const yaml::Node& node, Layer& layer, bool has_loops,
                    const Rules& rules, Diagnostics& diagnostics);

}  // namespace zz::core
