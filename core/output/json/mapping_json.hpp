#pragma once
#include "core/mapping/spatial_mapping.hpp"
#include "core/mapping/spatial_unrolling.hpp"
#include "core/mapping/temporal_mapping.hpp"
#include "core/output/json/json_writer.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// {"D1": {"K": 32}, ...}
void write_unrolling(JsonWriter& json, const SpatialUnrolling& unrolling);

/// Per operand, in the order of the layer's memory links, and per level the unrolled loops as "(K, 32)".
void write_spatial_mapping(JsonWriter& json, const SpatialMapping& mapping, const Layer& layer);

/// Per operand and memory level the loops as "(K, 4)", innermost first, in the form that the cost model
/// uses.
void write_temporal_mapping(JsonWriter& json, const TemporalMapping& mapping);

}  // namespace zz::core
