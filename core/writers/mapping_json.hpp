#pragma once
#include <nlohmann/json_fwd.hpp>

#include "core/mapping/spatial_mapping.hpp"
#include "core/mapping/spatial_unrolling.hpp"
#include "core/mapping/temporal_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// {"D1": {"K": 32}, ...}
nlohmann::ordered_json unrolling_json(const SpatialUnrolling& unrolling);

/// Per operand, in the order of the layer's memory links, and per level the unrolled loops as "(K, 32)".
nlohmann::ordered_json spatial_mapping_json(const SpatialMapping& mapping, const Layer& layer);

/// Per operand and memory level the loops as "(K, 4)", innermost first, in the form that the cost model
/// uses.
nlohmann::ordered_json temporal_mapping_json(const TemporalMapping& mapping);

}  // namespace zz::core
