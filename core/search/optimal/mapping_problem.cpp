#include "core/search/optimal/mapping_problem.hpp"

#include <utility>

#include "core/search/spatial/spatial_conversion.hpp"

namespace zz::core {

MappingProblem unrolled_problem(Layer layer, std::shared_ptr<const Accelerator> accelerator,
                                const SpatialUnrolling& unrolling, const CostModelOptions& options,
                                const Refinements& refinements) {
  layer.mapping.spatial_mapping = unrolling;
  ConvertedSpatialMapping converted = convert_spatial_mapping(layer, *accelerator, options.rules);
  MappingProblem problem;
  problem.accelerator = std::move(accelerator);
  problem.layer = std::make_shared<const Layer>(std::move(layer));
  problem.fractional = std::make_shared<const SpatialMapping>(std::move(converted.fractional));
  problem.integral = std::make_shared<const SpatialMapping>(std::move(converted.integral));
  problem.options = options;
  problem.refinements = refinements;
  return problem;
}

CostModel model_of(const MappingProblem& problem) {
  return {problem.accelerator, problem.layer, problem.fractional, problem.integral, problem.options};
}

}  // namespace zz::core
