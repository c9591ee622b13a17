#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/temporal/loop_allocator.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

class RandomNumbers;

/// The criterion that annealing minimises. Not finite: the mapping is not feasible.
struct SalsaCost {
  double criterion = std::numeric_limits<double>::infinity();
  double second = std::numeric_limits<double>::infinity();  ///< decides where the criterion is equal

  bool operator<(const SalsaCost& other) const {
    return criterion != other.criterion ? criterion < other.criterion : second < other.second;
  }
};

/// Called for each proposal that fits into the memories.
using MappingCost = std::function<SalsaCost(const CompactMapping&)>;

/// One walk through the orders of a set of loops. A step allocates no memory. Not thread-safe.
class SalsaWalk {
 public:
  /// The best of states with equal criterion is the first, or, with `compare_second`, the one with the
  /// lower second figure.
  SalsaWalk(LoopAllocator allocator, const std::vector<OrderConstraint>& constraints, MappingCost cost,
            bool compare_second);

  /// The first state: the order, innermost first. It need not be feasible. States have the kinds of the
  /// lattice of these loops, where there is one.
  void start(const std::vector<RemainingLoop>& order, const LoopLattice* lattice = nullptr);

  /// Proposes to swap the loops at two positions, and accepts when `random` (uniform in [0, 1)) is less
  /// than exp((current / proposed - 1) / temperature). What breaks a constraint or is not feasible is
  /// rejected; as long as nothing feasible was found, every order is accepted.
  bool propose(int i, int j, double random, double temperature);

  double proposed() const { return proposed_; }  ///< criterion of the last proposal, before acceptance
  double current() const { return current_.criterion; }
  bool feasible() const { return best_cost_.criterion < std::numeric_limits<double>::infinity(); }
  const CompactMapping& best() const { return best_; }
  const SalsaCost& best_cost() const { return best_cost_; }
  std::int64_t evaluations() const { return evaluations_; }  ///< calls of the cost function
  const AllocationFailure& failure() const { return allocator_.failure(); }

 private:
  struct Fixed {
    int dimension = -1;     ///< -1: any
    std::int64_t size = 0;  ///< 0: any
  };

  SalsaCost evaluate();
  bool allowed(int position) const;
  void remember_best();
  void swap(int i, int j);

  LoopAllocator allocator_;
  std::vector<OrderConstraint> constraints_;
  MappingCost cost_;
  bool compare_second_;
  std::vector<Fixed> fixed_;  ///< by position
  CompactMapping state_;      ///< its cuts are those of the last proposal
  CompactMapping best_;
  SalsaCost current_, best_cost_;
  double proposed_ = std::numeric_limits<double>::infinity();
  std::int64_t evaluations_ = 0;
};

struct SalsaOptions {
  std::int64_t iterations = 1000;
  double start_temperature = 0.05;  ///< falls by half a percent each iteration
  MappingType type = MappingType::uneven;
  /// As ZigZag's SALSA: the ordering of the mapping file counts for nothing, and so does the second figure
  /// while annealing.
  Rules rules = {};
};

/// SALSA: simulated annealing over the orders of the prime factors of a layer's temporal loops, each
/// allocated to the memories like LOMA's. (V. Jung, A. Symons, L. Mei, M. Verhelst, L. Benini: SALSA, AICAS
/// 2023.)
///
/// A complete ordering in layer.mapping.temporal_ordering is the only state, with the cuts that its entry
/// has, if any; an incomplete one is kept by every state. Threads: anneal() may be called concurrently.
class Salsa {
 public:
  /// Throws as Loma does.
  Salsa(std::shared_ptr<const Layer> layer, std::shared_ptr<const Accelerator> accelerator,
        std::shared_ptr<const SpatialMapping> spatial_mapping, const SalsaOptions& options);

  struct Outcome {
    bool feasible = false;
    CompactMapping mapping;  ///< the best one, if feasible
    SalsaCost cost;
    std::int64_t evaluations = 0;
    AllocationFailure failure;  ///< of the last order tried, if not feasible
  };
  /// One independent annealing from a random order. Equal arguments give equal outcomes on every machine.
  /// `stop` is asked after so many steps each; true ends the annealing early.
  static constexpr std::int64_t steps_between_stops = 64;
  Outcome anneal(std::uint64_t seed, std::uint64_t number, MappingCost cost,
                 const std::function<bool()>& stop) const;

  /// The best outcome, of equally good ones the first; nullptr if none is feasible.
  static const Outcome* best(const std::vector<Outcome>& outcomes);

  /// Fills in the names and levels that the mappings of outcomes refer to.
  void describe(CompactMappings& batch) const;
  /// Why an outcome is not feasible: names layer, memory and operand.
  std::string reason(const Outcome& outcome) const;

 private:
  std::vector<RemainingLoop> shuffled(RandomNumbers& random) const;

  std::shared_ptr<const Layer> layer_;
  std::shared_ptr<const Accelerator> accelerator_;
  std::shared_ptr<const SpatialMapping> spatial_mapping_;
  SalsaOptions options_;
  std::vector<RemainingLoop> loops_;            ///< in the prescribed order, or any
  std::shared_ptr<const LoopLattice> lattice_;  ///< of loops_; null where tables by its points do not pay
  std::vector<OrderConstraint> constraints_;
  bool fixed_order_ = false;
  std::optional<CompactMapping> cut_;  ///< the only mapping there is, where the entry has cuts
};

}  // namespace zz::core
