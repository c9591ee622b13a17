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

/// {"D1": {"K": 32}, ...}, as a user writes it in a mapping file.
Value unrolling_value(const core::SpatialUnrolling& unrolling);

}  // namespace zz::plugins
