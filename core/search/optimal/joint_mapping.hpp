#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_unrolling.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/search_problem.hpp"
#include "core/search/spatial/spatial_space.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

struct JointOptions {
  Objective objective = Objective::energy;
  bool mixed = false;  ///< also several loops along one array dimension
  UnrollingFactors factors = UnrollingFactors::even;
  CostModelOptions model;  ///< how figures are computed
  SearchLimits limits = {};
};

/// The best spatial mapping together with its best temporal mapping. The certificate is that of the pair:
/// no temporal mapping under any spatial mapping of SpatialSpace has a value below its lower bound.
struct JointOptimum {
  SpatialUnrolling unrolling;
  MappingProblem problem;  ///< of the layer with that unrolling
  Certificate certificate;
  std::uint64_t spatial_mappings = 0;  ///< that compete; as far as listed where a limit ended that
  std::uint64_t searched = 0;  ///< for the best temporal mapping, or until it was clear they are worse
  /// Because their bound (SpatialBound) is no better than the result, or their figures are those of
  /// another.
  std::uint64_t passed_over = 0;
  std::vector<std::string> warnings;  ///< what of the user's prescription was changed, and why
};

/// Searches spatial and temporal mappings together. Spatial mappings are taken in the order of their bound,
/// and those whose bound is no better than the best pair found are not searched. The generator's best three
/// come first, so that the result is never worse than theirs. Of temporal mappings that are equally good
/// under the best spatial mapping, one is chosen that is good by the other of energy and latency. The
/// result depends on time only where `limits` ended the search before its proof.
///
/// Throws InputError for problems that cannot be searched, NoResult when there is no legal spatial mapping,
/// or when under none of them a temporal mapping fits into the memories.
JointOptimum find_joint_optimum(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                                const JointOptions& options);

}  // namespace zz::core
