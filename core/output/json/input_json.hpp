#pragma once
#include <nlohmann/json_fwd.hpp>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/mapping/temporal_mapping.hpp"
#include "core/workload/layer.hpp"

/// The evaluated parts, as result files describe them. The keys and the order of the entries are ZigZag's.
namespace zz::core {

/// The array, the memories in the order of the file, and by memory operand its memories and their sizes
/// (bits) from the lowest upwards.
nlohmann::ordered_json accelerator_json(const Accelerator& accelerator);

/// Equation, relations, loops, precisions (bits), the unrolling that was used, and which memory operand
/// serves which operand of the layer.
nlohmann::ordered_json layer_json(const Layer& layer);

/// By operand, in the order of the layer's memory links, and by level the unrolled loops as "(K, 32)".
nlohmann::ordered_json spatial_mapping_json(const SpatialMapping& mapping, const Layer& layer);

/// By operand and memory level the loops as "(K, 4)", innermost first, in the form that the cost model
/// uses.
nlohmann::ordered_json temporal_mapping_json(const TemporalMapping& mapping);

}  // namespace zz::core
