#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_unrolling.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

struct SpatialGeneratorOptions {
  bool mixed = false;      ///< also several loop dimensions on one array dimension
  std::int64_t count = 3;  ///< how many of the best candidates to give
  Rules rules = {};
};

struct RankedUnrolling {
  SpatialUnrolling unrolling;
  std::size_t prescribed = 0;          ///< array dimensions of the unrolling that are not open
  std::vector<std::uint32_t> options;  ///< which alternative each open array dimension takes
  double score = 0;  ///< units used + units used / largest total unroll of one dimension - 1
};

struct SpatialCandidates {
  std::vector<SpatialUnrolling> mappings;  ///< best first
  std::vector<std::string> warnings;       ///< what of the user's prescription was changed, and why
};

/// The spatial mappings to try for a layer, best first. What the mapping file prescribes is kept, cut to
/// what array, layer and the memories next to the array allow; what it leaves open is filled with the
/// candidates that use most units. A complete prescription gives exactly one.
///
/// Throws NoResult naming layer and reason when nothing is legal. Rules: docs/design.md.
SpatialCandidates generate_spatial_mappings(const Layer& layer, const Accelerator& accelerator,
                                            const SpatialGeneratorOptions& options);

/// All legal candidates in the order of their rank, before the memories' capacity limits them; `limit` 0
/// gives all. `options.count` is not used.
std::vector<RankedUnrolling> rank_spatial_mappings(const Layer& layer, const Accelerator& accelerator,
                                                   const SpatialGeneratorOptions& options,
                                                   std::size_t limit = 0);

}  // namespace zz::core
