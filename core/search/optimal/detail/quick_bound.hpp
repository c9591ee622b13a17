#pragma once
#include <array>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/search/optimal/detail/spatial_bound.hpp"
#include "core/search/spatial/spatial_space.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The cost of compulsory traffic, by operand: every element crosses every boundary at least once, nothing
/// unrolled. (The idea is that of compulsory misses of a cache: Hill, Aspects of Cache Memory and
/// Instruction Buffer Performance, 1987.)
struct CompulsoryCost {
  std::array<double, max_operands> energy{};   ///< pJ, over all boundaries
  std::array<double, max_operands> latency{};  ///< cycles, of inputs, out of their topmost memory
};

/// Unrolling lowers these only by fractional factors: at least the share remains that is left when the
/// factors of relevant loops are cut to whole ones. The latency holds where one memory feeds all units:
/// loading is waited for, or hidden behind computation and stalls that are at least as long.
///
/// `nothing_unrolled`: the problem without any unrolling. Throws InputError as CostTables does.
CompulsoryCost compulsory_cost(const MappingProblem& nothing_unrolled);

/// Bounds of spatial mappings from compulsory traffic and the number of units: weaker than SpatialBounds,
/// and O(loops * operands) for each, for the many that they rule out. Layer and accelerator must outlive
/// it.
class QuickBound {
 public:
  /// `compulsory`: of the layer on the accelerator; zero where the array computes in memory.
  QuickBound(const Layer& layer, const Accelerator& accelerator, const CostModelOptions& model,
             const CompulsoryCost& compulsory);

  SpatialBound of(const SpatialSpace& space, const SpatialSpace::Choice& choice) const;
  /// Of all spatial mappings that use at most so many units.
  SpatialBound by_units(double units) const;

 private:
  bool is_unrolled(const std::string& loop, const std::vector<LoopRounds>& rounds) const;

  const Layer& layer_;
  CostModelOptions model_;
  CompulsoryCost compulsory_;
  double energy_of_units_;  ///< pJ
  double operations_;
  std::array<bool, max_operands>
      fed_by_one_memory_{};  ///< the topmost memory of the operand serves all units
};

}  // namespace zz::core
