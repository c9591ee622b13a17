#include "core/search/spatial/spatial_generator.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "core/base/diagnostics.hpp"
#include "core/search/spatial/spatial_limits.hpp"
#include "core/search/spatial/spatial_space.hpp"

namespace zz::core {
namespace {

struct SpatialCandidate {
  SpatialUnrolling unrolling;
  SpatialSpace::Choice choice;  ///< of the array dimensions that are not prescribed
};

/// ZigZag's candidates share the options of an array dimension, so that what is lowered in one is lowered
/// in all, those before it included. Open array dimensions come last in an unrolling.
void share_options(const SpatialCandidate& lowered, std::vector<SpatialCandidate>& candidates) {
  const std::size_t prescribed = lowered.unrolling.dimensions.size() - lowered.choice.size();
  for (SpatialCandidate& candidate : candidates) {
    for (std::size_t open = 0; open < lowered.choice.size(); ++open) {
      if (candidate.choice[open] == lowered.choice[open])
        candidate.unrolling.dimensions[prescribed + open] = lowered.unrolling.dimensions[prescribed + open];
    }
  }
}

[[noreturn]] void nothing_legal(const Layer& layer, const Accelerator& accelerator) {
  throw NoResult(fmt::format(
      "layer '{}': no legal spatial mapping on the array of '{}'; a memory next to the array may "
      "be too narrow for one word per cycle, or the mapping's hints leave no loop to unroll",
      layer.name, accelerator.name));
}

}  // namespace

FittedPrescription fitted_prescription(const Layer& layer, const Accelerator& accelerator) {
  FittedPrescription fitted;
  fitted.unrolling = reduce_prescription(layer.mapping.spatial_mapping, layer, accelerator,
                                         SpatialLimits(layer, accelerator), fitted.changes);
  return fitted;
}

SpatialCandidates generate_spatial_mappings(const Layer& layer, const Accelerator& accelerator,
                                            const SpatialGeneratorOptions& options) {
  SpatialSpace space(layer, accelerator,
                     {.mixed = options.mixed,
                      .factors = UnrollingFactors::divisors,
                      .rules = options.rules,
                      .list = UnrollingList::zigzag});
  for (const ArrayUnrolling& entry : space.prescription().dimensions) {
    for (const SpatialLoop& loop : entry.loops) {
      if (loop.factor < 1) nothing_legal(layer, accelerator);
    }
  }
  std::vector<SpatialCandidate> candidates;
  if (space.prescribed()) candidates.push_back({space.prescription(), {}});
  while (static_cast<std::int64_t>(candidates.size()) < std::max<std::int64_t>(1, options.count)) {
    const std::optional<SpatialSpace::Choice> choice = space.next();
    if (!choice) break;
    candidates.push_back({space.unrolling(*choice), *choice});
  }
  if (candidates.empty()) nothing_legal(layer, accelerator);
  SpatialCandidates result{{}, space.combinations(), space.warnings()};
  UnrollingNotes notes(layer, accelerator, result.warnings);
  for (SpatialCandidate& candidate : candidates) {
    space.limits().fit_capacity(candidate.unrolling, &layer.mapping.spatial_mapping, &notes);
    if (options.rules.limited_unrollings_shared) share_options(candidate, candidates);
  }
  for (SpatialCandidate& candidate : candidates) result.mappings.push_back(std::move(candidate.unrolling));
  return result;
}

}  // namespace zz::core
