#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/cost/boundary_cost.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/optimal/detail/cost_to_go.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The least of a cost of all that passes between the operands and their home, in one loop order for all of
/// them, with the room of the memories below: one table for all spatial mappings of a layer.
///
/// Traffic between the home and the memory below depends on which iterations are below, in time or
/// unrolled, where that memory serves the whole array. So a mapping that unrolls a loop moves over that
/// boundary what a mapping does that unrolls nothing and has the unrolled factors innermost. JointCostToGo
/// knows the least of the latter from each multiset on, with memories next to the units that hold and cost
/// nothing.
///
/// Does not hold for factors that do not divide their loop, nor where nothing that adds to an output
/// remains in time, so that the lowest memory holds no partial sums. There is none with arrays that compute
/// in memory, rules of others, prescribed orders or shared tiles, where memories between the home and the
/// units serve a part of the array each, where the optimum cannot be proven, or where the table would be
/// large.
class HomeTable {
 public:
  /// `costs`: of the problem without any unrolling, one component, none but at the home.
  HomeTable(const Layer& layer, const SearchProblem& home, const LabelCosts& costs);

  /// The least of all temporal mappings with this unrolling; infinite: none fits.
  std::optional<double> of(const SpatialUnrolling& unrolling) const;

 private:
  std::vector<LoopDimension> loops_;
  std::vector<bool> adds_;  ///< by loop: irrelevant to the output
  ExponentLattice lattice_;
  std::vector<double> least_;  ///< by multiset of unrolled factors
};

/// The least energy of all accesses to the home. An energy is a sum of costs of accesses, each times a
/// count. So the least of the accesses to the home plus the least of all others is a bound of the whole.
class HomeEnergy {
 public:
  /// Nothing where there is no HomeTable.
  static std::optional<HomeEnergy> of(const Layer& layer,
                                      const std::shared_ptr<const Accelerator>& accelerator,
                                      const CostModelOptions& model);

  /// pJ, of all temporal mappings with this unrolling; infinite: none fits.
  std::optional<double> of(const SpatialUnrolling& unrolling) const { return table_.of(unrolling); }
  /// The accelerator where accesses to the home cost nothing.
  const std::shared_ptr<const Accelerator>& others() const { return others_; }

 private:
  HomeEnergy(HomeTable table, std::shared_ptr<const Accelerator> others)
      : table_(std::move(table)), others_(std::move(others)) {}

  HomeTable table_;
  std::shared_ptr<const Accelerator> others_;
};

/// The least time that a port of the home is busy: the latency is no shorter. Tables depend on the sizes of
/// the memories that serve the whole array, and neither on the array nor on how wide the port is, so that
/// accelerators share them. The layer must outlive it. [any]
class HomeTimes {
 public:
  HomeTimes(const Layer& layer, const CostModelOptions& model) : layer_(layer), model_(model) {}

  /// The time on one accelerator.
  class Time {
   public:
    /// Cycles, of all temporal mappings with this unrolling; infinite: none fits.
    std::optional<double> of(const SpatialUnrolling& unrolling) const;

   private:
    friend class HomeTimes;
    std::shared_ptr<const HomeTable> table_;  ///< of the least portions of a port
    double cycles_ = 0;                       ///< of such a portion
  };
  /// Finds nothing where there is no HomeTable, or where ports have keys of their own.
  Time on(const Accelerator& accelerator);

 private:
  const Layer& layer_;
  CostModelOptions model_;
  std::mutex mutex_;
  /// The accelerators without what the tables do not depend on, by sizes of memories.
  std::map<std::vector<std::int64_t>, std::vector<std::pair<Accelerator, std::shared_ptr<const HomeTable>>>>
      tables_;
};

}  // namespace zz::core
