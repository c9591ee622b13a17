#pragma once
#include <memory>

#include "core/cost/cost_model.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/optimal/refinements.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The problem of a search for a temporal mapping: a layer on an accelerator under one spatial mapping.
struct MappingProblem {
  std::shared_ptr<const Accelerator> accelerator;
  std::shared_ptr<const Layer> layer;
  std::shared_ptr<const SpatialMapping> fractional,
      integral;                  ///< the spatial mapping, as CostModel takes it
  CostModelOptions options;      ///< for the value of mappings
  Refinements refinements = {};  ///< of the proof
};

/// The problem of the layer with `unrolling` as its spatial mapping.
/// Throws what convert_spatial_mapping() throws.
MappingProblem unrolled_problem(Layer layer, std::shared_ptr<const Accelerator> accelerator,
                                const SpatialUnrolling& unrolling, const CostModelOptions& options,
                                const Refinements& refinements = {});

/// The model that values the mappings of a problem.
CostModel model_of(const MappingProblem& problem);

}  // namespace zz::core
