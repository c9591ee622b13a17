#pragma once
#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/workload/layer.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The context for a layer whose unrolling is chosen: `ctx` with "layer", and with "spatial_mapping" and
/// "spatial_mapping_int" derived from it. Warnings go to the log of `stage`.
Value converted_context(const Stage& stage, const Value& ctx, core::Layer layer,
                        const core::Accelerator& accelerator, const core::Rules& rules);

/// core::refuse_small_topmost_memories() for the layer of `ctx`, as it is unrolled there: for a search
/// below converted_context() that found nothing.
void refuse_small_topmost_memories(const Value& ctx, const core::Rules& rules);

/// {"D1": {"K": 32}, ...}, as a user writes it in a mapping file.
Value unrolling_value(const core::SpatialUnrolling& unrolling);

}  // namespace zz::plugins
