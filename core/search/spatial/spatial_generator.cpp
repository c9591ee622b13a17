#include "core/search/spatial/spatial_generator.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/diagnostics/diagnostics.hpp"
#include "core/search/spatial/spatial_hints.hpp"
#include "core/search/spatial/spatial_limits.hpp"
#include "core/search/spatial/spatial_prescription.hpp"
#include "core/search/spatial/spatial_ranking.hpp"

namespace zz::core {
namespace {

/// What the prescription leaves open, filled in the best ways.
std::vector<RankedUnrolling> fill(const SpatialUnrolling& prescribed, const Layer& layer,
                                  const Accelerator& accelerator, const SpatialLimits& limits, bool mixed,
                                  std::size_t limit, std::vector<std::string>& warnings) {
  std::vector<UnrolledIndex> fixed;
  for (const ArrayUnrolling& entry : prescribed.dimensions) {
    for (const SpatialLoop& loop : entry.loops)
      fixed.push_back({layer.loop_index(loop.dimension), loop.factor});
  }
  std::vector<std::string> open;
  std::vector<SpatialOptions> options;
  for (std::size_t array = 0; array < accelerator.array.dimensions.size(); ++array) {
    const ArrayDimension& dimension = accelerator.array.dimensions[array];
    if (prescribed.find(dimension.name) != nullptr) continue;
    open.push_back(dimension.name);
    const std::vector<int> loops = hinted_loops(layer, dimension.name, warnings);
    std::vector<std::int64_t> maxima;
    for (const int loop : loops) maxima.push_back(limits.maximum(static_cast<int>(array), loop));
    options.emplace_back(loops, maxima, dimension.size, mixed);
  }
  std::vector<std::int64_t> loop_sizes;
  for (const LoopDimension& loop : layer.loops) loop_sizes.push_back(loop.size);

  std::vector<RankedUnrolling> ranked;
  for (const RankedChoice& choice : rank_choices(options, loop_sizes, fixed, limit)) {
    RankedUnrolling candidate{prescribed, prescribed.dimensions.size(), choice.options, choice.score};
    for (std::size_t array = 0; array < open.size(); ++array) {
      ArrayUnrolling entry{open[array], {}};
      for (const UnrolledIndex& unrolled : options[array].loops(choice.options[array]))
        entry.loops.push_back({layer.loops[unrolled.loop].name, unrolled.factor});
      candidate.unrolling.dimensions.push_back(std::move(entry));
    }
    ranked.push_back(std::move(candidate));
  }
  return ranked;
}

/// ZigZag's candidates share the alternatives of an array dimension, so that what is lowered in one is
/// lowered in all, those before it included.
void share_options(const RankedUnrolling& lowered, std::vector<RankedUnrolling>& candidates) {
  for (RankedUnrolling& candidate : candidates) {
    for (std::size_t open = 0; open < lowered.options.size(); ++open) {
      const std::size_t entry = lowered.prescribed + open;
      if (candidate.options[open] == lowered.options[open])
        candidate.unrolling.dimensions[entry] = lowered.unrolling.dimensions[entry];
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

SpatialCandidates generate_spatial_mappings(const Layer& layer, const Accelerator& accelerator,
                                            const SpatialGeneratorOptions& options) {
  const SpatialLimits limits(layer, accelerator, options.rules);
  SpatialCandidates result;
  const SpatialUnrolling prescribed =
      reduce_prescription(layer.mapping.spatial_mapping, layer, accelerator, limits, result.warnings);
  for (const ArrayUnrolling& entry : prescribed.dimensions) {
    for (const SpatialLoop& loop : entry.loops) {
      if (loop.factor < 1) nothing_legal(layer, accelerator);
    }
  }
  std::vector<RankedUnrolling> candidates;
  if (prescribed.dimensions.size() == accelerator.array.dimensions.size()) {
    candidates.push_back({prescribed, prescribed.dimensions.size(), {}, 0});
  } else {
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(1, options.count));
    candidates = fill(prescribed, layer, accelerator, limits, options.mixed, count, result.warnings);
    if (candidates.empty()) nothing_legal(layer, accelerator);
  }
  for (RankedUnrolling& candidate : candidates) {
    limits.fit_capacity(candidate.unrolling);
    if (options.rules.limited_unrollings_shared) share_options(candidate, candidates);
  }
  for (RankedUnrolling& candidate : candidates) result.mappings.push_back(std::move(candidate.unrolling));
  return result;
}

std::vector<RankedUnrolling> rank_spatial_mappings(const Layer& layer, const Accelerator& accelerator,
                                                   const SpatialGeneratorOptions& options,
                                                   std::size_t limit) {
  const SpatialLimits limits(layer, accelerator, options.rules);
  std::vector<std::string> warnings;
  const SpatialUnrolling prescribed =
      reduce_prescription(layer.mapping.spatial_mapping, layer, accelerator, limits, warnings);
  return fill(prescribed, layer, accelerator, limits, options.mixed, limit, warnings);
}

}  // namespace zz::core
