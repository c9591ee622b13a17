#pragma once
#include <vector>

#include "core/compat/rules.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "core/search/spatial/spatial_generator.hpp"

namespace zz::core {

/// The rules by which ZigZag tries other unrollings of a layer: each in turn is followed besides those of
/// `options`, and the result compared with `found`. None where ZigZag finds no unrolling.
std::vector<bool Rules::*> deviations_of_candidates(const Layer& layer, const Accelerator& accelerator,
                                                    const SpatialGeneratorOptions& options,
                                                    const SpatialCandidates& found);

/// The rules by which ZigZag makes another mapping of the layer's unrolling than `found`.
std::vector<bool Rules::*> deviations_of_conversion(const Layer& layer, const Accelerator& accelerator,
                                                    const Rules& rules,
                                                    const ConvertedSpatialMapping& found);

}  // namespace zz::core
