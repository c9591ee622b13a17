#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

struct SpatialGeneratorOptions {
  bool mixed = false;      ///< also several loop dimensions on one array dimension
  std::int64_t count = 3;  ///< number of the best candidates to give
  Rules rules = {};
};

struct SpatialCandidates {
  std::vector<SpatialUnrolling> mappings;  ///< best first
  double combinations = 1;                 ///< of how many they are the best (SpatialSpace)
  std::vector<std::string> warnings;       ///< changes of the user's prescription, and their reasons
};

/// The spatial mappings to try for a layer, best first: the first ones of ZigZag's list (SpatialSpace),
/// their factors lowered until the memories next to the array hold the words that the units use at the same
/// time. A complete prescription gives exactly one.
///
/// Throws NoResult naming layer and reason when nothing is legal. Rules: docs/design.md.
SpatialCandidates generate_spatial_mappings(const Layer& layer, const Accelerator& accelerator,
                                            const SpatialGeneratorOptions& options);

/// A mapping file's prescription for a layer, as far as it can be.
struct FittedPrescription {
  SpatialUnrolling unrolling;
  std::vector<std::string> changes;  ///< a sentence of UnrollingNotes for each
};

/// Cuts the unrolling in the layer's entry of the mapping file to what layer and array have, as
/// reduce_prescription() does. Nothing is unrolled along array dimensions that are left open.
///
/// Throws InputError for an array dimension that is not there.
FittedPrescription fitted_prescription(const Layer& layer, const Accelerator& accelerator);

}  // namespace zz::core
