#pragma once
#include <memory>
#include <optional>
#include <string>

#include "core/cost/boundary_cost.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// A pair of spatial and temporal mapping that is known from one accelerator and tried on another.
struct KnownMapping {
  SpatialUnrolling unrolling;
  CompactMapping mapping;
};

/// What a store keeps of the pair that a search found, and back again. Throws InputError for other text.
std::string text_of(const JointOptimum& optimum);
KnownMapping known_mapping(const std::string& text);

/// The value of the objective that the pair has for the layer on this accelerator; infinite where the
/// searches would not have it there: it does not fit, by their own rule of room (MappingCheck), or lacks a
/// port. The same array as where it was found is required.
double value_of_known(const KnownMapping& known, const Layer& layer,
                      const std::shared_ptr<const Accelerator>& accelerator, const CostModelOptions& model,
                      Objective objective);

}  // namespace zz::core
