#include "core/search/spatial/spatial_deviations.hpp"

#include <utility>

#include "core/base/diagnostics.hpp"

namespace zz::core {
namespace {

constexpr bool Rules::*candidate_rules[] = {&Rules::unrollings_looked_up_by_factor,
                                            &Rules::limited_unrollings_shared};

}  // namespace

std::vector<bool Rules::*> deviations_of_candidates(const Layer& layer, const Accelerator& accelerator,
                                                    const SpatialGeneratorOptions& options,
                                                    const SpatialCandidates& found) {
  std::vector<bool Rules::*> deviations;
  if (!found.limited) return deviations;
  for (bool Rules::*const rule : candidate_rules) {
    SpatialGeneratorOptions original = options;
    if (std::exchange(original.rules.*rule, true)) continue;
    if (generate_spatial_mappings(layer, accelerator, original).mappings != found.mappings)
      deviations.push_back(rule);
  }
  return deviations;
}

std::vector<bool Rules::*> deviations_of_conversion(const Layer& layer, const Accelerator& accelerator,
                                                    const Rules& rules,
                                                    const ConvertedSpatialMapping& found) {
  constexpr bool Rules::*rule = &Rules::unrolling_beyond_loop;
  Rules original = rules;
  // A loop on one array dimension only has nothing that could be left out.
  if (layer.mapping.spatial_mapping.dimensions.size() < 2 || std::exchange(original.*rule, true)) return {};
  try {
    const ConvertedSpatialMapping other = convert_spatial_mapping(layer, accelerator, original);
    if (other.fractional == found.fractional && other.integral == found.integral) return {};
  } catch (const InputError&) {
    return {};
  }
  return {rule};
}

}  // namespace zz::core
