#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/mapping_problem.hpp"
#include "core/search/spatial/spatial_space.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

struct JointOptions {
  Objective objective = Objective::energy;
  bool mixed = false;  ///< also several loops along one array dimension
  UnrollingFactors factors = UnrollingFactors::even;
  CostModelOptions model;     ///< how mappings are valued
  MappingLimits within = {};  ///< NoResult when no pair is within
  SearchLimits limits = {};
};

/// The best spatial mapping together with its best temporal mapping. The certificate holds for the pair: no
/// temporal mapping under any spatial mapping of SpatialSpace has a value below its lower bound.
struct JointOptimum {
  SpatialUnrolling unrolling;
  MappingProblem problem;  ///< the layer with that unrolling
  Certificate certificate;
  std::uint64_t spatial_mappings = 0;  ///< listed; all that compete unless a limit ended the search
  std::uint64_t searched = 0;          ///< spatial mappings whose temporal mappings were searched
  /// Spatial mappings that were not searched: their bound (SpatialBound) is no better than the result, or
  /// they cost the same as another one.
  std::uint64_t passed_over = 0;
  /// Of each spatial mapping that was listed, in the order of SpatialSpace, a lower bound of the objective.
  /// The certificate's holds for all of them as well.
  std::vector<double> bounds;
  std::vector<std::string> warnings;  ///< how the user's prescription was changed, and why
};

/// Searches spatial and temporal mappings together by best-first branch and bound (Land & Doig,
/// Econometrica 28, 1960). Each spatial mapping is bounded without a search (SpatialBounds). In the order
/// of these bounds, its temporal mappings are searched with the best pair so far as the cutoff.
///
/// The generator's best three spatial mappings come first, so that the result is never worse than theirs.
/// Ties under the best spatial mapping are broken by the other one of energy and latency. The result
/// depends on time only where `limits` end the search before its proof. Safe to call from several threads.
///
/// `earlier`: an optimum of the same layer with the same options. Where only costs differ between its
/// accelerator and this one, the search starts from it and from its bounds (CarriedBounds). What is proven
/// is the same; of several best pairs another one may be found than without it.
///
/// Throws InputError for a problem that cannot be searched, and NoResult when no spatial mapping is legal
/// or no temporal mapping fits into the memories under any of them.
JointOptimum find_joint_optimum(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                                const JointOptions& options, const JointOptimum* earlier = nullptr);

}  // namespace zz::core
