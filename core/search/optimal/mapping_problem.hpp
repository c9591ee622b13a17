#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "core/cost/cost_model.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/optimal/refinements.hpp"
#include "core/search/temporal/tile_lengths.hpp"
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
  /// Lengths of loops that remain in time, where tiles compete that do not divide them. Empty for cost
  /// models, which read the tiles from the mapping.
  TileLengths lengths = {};
};

/// The loops that remain in time, with these lengths.
std::vector<RemainingLoop> searched_loops(const MappingProblem& problem);

/// The problem of the layer with `unrolling` as its spatial mapping.
/// Throws what convert_spatial_mapping() throws.
MappingProblem unrolled_problem(Layer layer, std::shared_ptr<const Accelerator> accelerator,
                                const SpatialUnrolling& unrolling, const CostModelOptions& options,
                                const Refinements& refinements = {});

/// The only mapping that competes where the layer's entry has the cuts of a complete ordering
/// (LayerMapping::cuts); else nothing. Throws as user_ordering() and cut_as_prescribed() do.
std::optional<CompactMapping> prescribed_mapping(const MappingProblem& problem);

/// The same mapping without iterations beyond the rounds of the loops: the outermost loop of a dimension
/// has as many as there are tiles below it, and loops above all rounds are gone.
CompactMapping without_empty_iterations(const MappingProblem& problem, const CompactMapping& mapping);

/// The model that values the mappings of a problem.
CostModel model_of(const MappingProblem& problem);

}  // namespace zz::core
