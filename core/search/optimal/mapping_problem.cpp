#include "core/search/optimal/mapping_problem.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "core/search/spatial/spatial_conversion.hpp"
#include "core/search/temporal/loop_allocator.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "core/search/temporal/prescribed_cuts.hpp"
#include "core/search/temporal/user_ordering.hpp"

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

std::vector<RemainingLoop> searched_loops(const MappingProblem& problem) {
  return lengthened(remaining_loops(*problem.layer, *problem.fractional, problem.options.rules),
                    problem.lengths);
}

std::optional<CompactMapping> prescribed_mapping(const MappingProblem& problem) {
  const Layer& layer = *problem.layer;
  if (layer.mapping.cuts.empty()) return std::nullopt;
  const Rules& rules = problem.options.rules;
  const UserOrdering ordering =
      user_ordering(layer, remaining_loops(layer, *problem.fractional, rules), OrderingUse::search, rules);
  std::vector<TemporalLoop> loops;
  for (const RemainingLoop& loop : ordering.loops)
    loops.push_back({layer.loops[static_cast<std::size_t>(loop.dimension)].name, loop.size});
  CompactMapping mapping = compact_order(layer, loops);
  cut_as_prescribed(layer, *problem.accelerator, *problem.fractional, ordering.cuts, MappingType::uneven,
                    rules, mapping);
  return mapping;
}

CompactMapping without_empty_iterations(const MappingProblem& problem, const CompactMapping& mapping) {
  std::array<std::int64_t, max_loop_dimensions> left;
  left.fill(1);
  for (const RemainingLoop& loop :
       remaining_loops(*problem.layer, *problem.fractional, problem.options.rules))
    left[static_cast<std::size_t>(loop.dimension)] = loop.size;
  CompactMapping kept = mapping;
  kept.loops = 0;
  std::array<std::uint8_t, max_temporal_loops + 1> loops_below{};
  for (int loop = 0; loop < mapping.loops; ++loop) {
    // Tiles of the loops below that are left: ceil(ceil(R / s) / t) is ceil(R / (s t)).
    std::int64_t& tiles = left[mapping.dimension[loop]];
    const std::int64_t size = std::min(mapping.size[loop], tiles);
    tiles = (tiles - 1) / mapping.size[loop] + 1;
    if (size > 1 || mapping.loops == 1) {
      kept.dimension[kept.loops] = mapping.dimension[loop];
      kept.size[kept.loops++] = size;
    }
    loops_below[static_cast<std::size_t>(loop) + 1] = static_cast<std::uint8_t>(kept.loops);
  }
  for (auto* const cuts : {&kept.allocated, &kept.stationary})
    for (auto& of_operand : *cuts)
      for (std::uint8_t& cut : of_operand) cut = loops_below[cut];
  return kept;
}

CostModel model_of(const MappingProblem& problem) {
  return {problem.accelerator, problem.layer, problem.fractional, problem.integral, problem.options};
}

}  // namespace zz::core
