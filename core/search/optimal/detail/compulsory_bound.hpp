#pragma once
#include <array>
#include <vector>

#include "core/cost/boundary_cost.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/optimal/mapping_problem.hpp"
#include "core/search/spatial/spatial_space.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The cost of compulsory traffic, by operand: every element crosses every boundary at least once, nothing
/// unrolled. (The idea is that of compulsory misses of a cache: Hill, Aspects of Cache Memory and
/// Instruction Buffer Performance, 1987.)
struct CompulsoryCost {
  std::array<double, max_operands> energy{};  ///< pJ, over all boundaries
  /// Cycles of ports of memories that are topmost for an operand. The latency is no shorter than any sum
  /// over operands.
  std::vector<std::array<double, max_operands>> ports;
};

/// Unrolling lowers none of these, except that Rules::data_in_whole_units cuts fractional factors to whole
/// ones: then the share remains that this leaves of the relevant loops, and nothing of a window that units
/// split. Cycles hold where one memory feeds all units: all that goes through its port is waited for. With
/// Rules::faster_than_ports only inputs are, each by itself.
///
/// `nothing_unrolled`: the problem without any unrolling. Throws InputError as CostTables does.
CompulsoryCost compulsory_cost(const MappingProblem& nothing_unrolled);

/// Bounds of spatial mappings from compulsory traffic and the number of units: weaker than SpatialBounds,
/// and O(loops * operands) for each, for the many that they rule out. Layer and accelerator must outlive
/// it.
class CompulsoryBound {
 public:
  /// `compulsory`: of the layer on the accelerator; nothing where the array computes in memory.
  CompulsoryBound(const Layer& layer, const Accelerator& accelerator, const CostModelOptions& model,
                  CompulsoryCost compulsory);

  SpatialBound of(const SpatialSpace& space, const SpatialSpace::Choice& choice) const;
  /// The bound of all spatial mappings that use at most so many units; infinite for none.
  SpatialBound by_units(double units) const;

 private:
  using Shares = std::array<double, max_operands>;  ///< of compulsory traffic that remains

  SpatialBound bound(double computation, const Shares& shares) const;
  /// With factors cut to whole ones.
  Shares whole_shares(const std::vector<LoopRounds>& rounds) const;

  const Layer& layer_;
  CostModelOptions model_;
  CompulsoryCost compulsory_;
  double energy_of_units_;  ///< pJ
  double operations_, efficiency_;
  Shares least_shares_{};  ///< under any spatial mapping
};

/// That of a layer on an accelerator, both of which must outlive it; without `compulsory_traffic` that of
/// the units alone. Throws what unrolled_problem() and compulsory_cost() throw.
CompulsoryBound compulsory_bound(const Layer& layer, const Accelerator& accelerator,
                                 const CostModelOptions& model, const Refinements& refinements);

}  // namespace zz::core
