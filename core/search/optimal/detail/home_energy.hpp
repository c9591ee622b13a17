#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/cost/boundary_cost.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/optimal/detail/cost_to_go.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The least energy of all accesses to the home of the operands, in one loop order for all of them, with
/// the room of the memories below: one table for all spatial mappings of a layer.
///
/// An energy is a sum of costs of accesses, each times a count. So the least of the accesses to the home
/// plus the least of all others is a bound of the whole. What passes between the home and the memory below
/// depends on which iterations are below, in time or unrolled, where that memory serves the whole array.
/// So a mapping that unrolls a loop moves over that boundary what a mapping does that unrolls nothing and
/// has the unrolled factors innermost. JointCostToGo knows the least of the latter from each multiset on,
/// with memories next to the units that hold and cost nothing.
///
/// Does not hold for factors that do not divide their loop, nor where nothing that adds to an output
/// remains in time, so that the lowest memory holds no partial sums.
class HomeEnergy {
 public:
  /// Nothing where that form of the costs does not hold: with arrays that compute in memory, rules of
  /// others, prescribed orders or shared tiles, where memories between the home and the units serve a part
  /// of the array each, where the optimum cannot be proven, or where the table would be large.
  static std::optional<HomeEnergy> of(const Layer& layer,
                                      const std::shared_ptr<const Accelerator>& accelerator,
                                      const CostModelOptions& model);

  /// pJ, of all temporal mappings with this unrolling; infinite: none fits.
  std::optional<double> of(const SpatialUnrolling& unrolling) const;
  /// The accelerator where accesses to the home cost nothing.
  const std::shared_ptr<const Accelerator>& others() const { return others_; }

 private:
  HomeEnergy(const Layer& layer, std::shared_ptr<const Accelerator> others, const SearchProblem& home);

  std::vector<LoopDimension> loops_;
  std::vector<bool> adds_;  ///< by loop: irrelevant to the output
  std::shared_ptr<const Accelerator> others_;
  ExponentLattice lattice_;
  std::vector<double> least_;  ///< by multiset of unrolled factors
};

}  // namespace zz::core
