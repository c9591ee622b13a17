#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "core/cost/cost_model.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/detail/array_stays.hpp"
#include "core/search/optimal/detail/label_setting.hpp"
#include "core/search/optimal/mapping_problem.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The loop orders that compete: the factors of the loops that remain in time, less what the user's
/// temporal ordering excludes.
class TemporalSpace {
 public:
  /// `factor_limit`: as in LomaOptions; 0: all prime factors. Where the user's ordering leaves nothing
  /// open, no lengths compete. Throws NoResult when the ordering does not fit the loops that remain in
  /// time, InputError when there are too many loops.
  TemporalSpace(const MappingProblem& problem, int factor_limit, std::vector<SharedTiles> shared_tiles);

  const ExponentLattice& lattice() const { return *lattice_; }
  int operands() const { return operands_; }
  bool relevant(int operand, std::size_t kind) const { return !irrelevant_[operand][kind]; }
  bool irrelevant(int operand, std::size_t kind) const { return irrelevant_[operand][kind]; }
  /// Every iteration brings other data: the loop does not slide a window.
  bool replaces(int operand, std::size_t kind) const { return replaces_[operand][kind]; }
  /// A loop of this kind may stand right above the loops of `multiset`.
  bool may_follow(std::size_t multiset, std::size_t kind) const {
    return lattice_->has_more(multiset, kind) &&
           (constraints_.empty() || agrees(lattice_->placed(multiset), kind)) &&
           keeps_stays(multiset, kind);
  }
  /// From here on only orders compete that begin with these stays.
  void begin_with(const std::vector<Stay>& stays);
  /// True if begin_with() allows it. REQUIRES: there is another loop of the kind.
  bool keeps_stays(std::size_t multiset, std::size_t kind) const {
    return next_.empty() || (next_[multiset] >> kind & 1) != 0;
  }
  /// All loops in `multiset` are irrelevant to the operand: its units still use one element.
  bool all_irrelevant(int operand, std::size_t multiset) const {
    return all_irrelevant_[operand][multiset];
  }
  /// A loop that is irrelevant to the operand remains above `multiset`.
  bool irrelevant_above(int operand, std::size_t multiset) const {
    return irrelevant_above_[operand][multiset];
  }
  /// A loop that is not irrelevant to the operand remains above `multiset`: the operand changes there.
  bool changes_above(int operand, std::size_t multiset) const { return changes_above_[operand][multiset]; }

  /// Memories whose inputs are cut above them at the same loop, from the innermost up.
  const std::vector<SharedTiles>& shared_tiles() const { return shared_tiles_; }
  /// The operand may be cut right above `multiset`, in mappings that differ from those cut elsewhere: a
  /// loop above changes it, or another input with which it has tiles.
  bool may_close(int operand, std::size_t multiset) const {
    return changes_above(operand, multiset) || (shares_tiles_[operand] && multiset != lattice_->full());
  }

 private:
  bool agrees(int position, std::size_t kind) const;

  int operands_;
  std::optional<ExponentLattice> lattice_;
  std::vector<OrderConstraint> constraints_;  ///< positions counted from the innermost loop
  std::vector<std::uint64_t> next_;           ///< by multiset, kinds that begin_with() allows; empty: all
  std::array<std::vector<bool>, 3> irrelevant_, replaces_;
  std::array<std::vector<bool>, 3> all_irrelevant_, irrelevant_above_, changes_above_;
  std::vector<SharedTiles> shared_tiles_;
  std::array<bool, 3> shares_tiles_{};
};

/// The room that each operand needs in each of its memories, by the loops below the memory's upper cut: as
/// AllocationProblem::needed_bits() counts it, without the noise of divisions. LoopAllocator uses the same
/// rules.
class MemoryFit {
 public:
  MemoryFit(const Layer& layer, const Accelerator& accelerator, const SpatialMapping& spatial_mapping,
            const TemporalSpace& space, const Rules& rules);

  int levels(int operand) const { return static_cast<int>(memories_[operand].size()); }

  /// Bits that the operand needs in memory `level` with the loops of `multiset`. `partial`: the memory
  /// holds partial sums of the output, because a loop irrelevant to it remains above the memory's lower
  /// cut.
  double bits(int operand, int level, std::size_t multiset, bool partial) const {
    const Memory& memory = memories_[operand][level];
    return (holds_sums(operand, level, partial) || memory.of_results.empty() ? memory.bits
                                                                             : memory.of_results)[multiset];
  }
  /// The same of finished outputs, also where the memory holds sums in any mapping.
  double finished_bits(int level, std::size_t multiset) const {
    const Memory& memory = memories_.front()[level];
    return (memory.of_results.empty() ? memory.bits : memory.of_results)[multiset];
  }
  /// The memory holds partial sums: `partial`, or in any mapping.
  bool holds_sums(int operand, int level, bool partial) const {
    return partial || memories_[operand][level].partial_always;
  }
  /// The fewest where nobody knows yet whether it holds partial sums. As a rule results are shorter; with
  /// what their format stores beside them they may be longer.
  double fewest_bits(int operand, int level, std::size_t multiset) const {
    const double whole = bits(operand, level, multiset, false);
    return operand == 0 ? std::min(whole, bits(operand, level, multiset, true)) : whole;
  }
  /// The least bits with the upper cut there. A loop irrelevant to the output that remains above the upper
  /// cut also remains above the lower one. (More loops may need fewer bits.)
  double least_bits(const TemporalSpace& space, int operand, int level, std::size_t multiset) const {
    return operand == 0 && space.irrelevant_above(operand, multiset)
               ? bits(operand, level, multiset, true)
               : fewest_bits(operand, level, multiset);
  }
  double capacity(int operand, int level) const { return memories_[operand][level].capacity; }
  bool fits(int operand, int level, std::size_t multiset, bool partial) const {
    return bits(operand, level, multiset, partial) <= capacity(operand, level);
  }
  /// As partial sums or as results.
  bool may_fit(int operand, int level, std::size_t multiset) const {
    return fewest_bits(operand, level, multiset) <= capacity(operand, level);
  }
  /// Finished outputs have other bits than partial sums in some memory, so that `partial` matters.
  bool partial_matters() const { return partial_matters_; }

  /// A shared memory that cannot hold all of its operands whole: operands compete for its room.
  struct Group {
    double capacity;  ///< bits
    struct Member {
      int operand, level;
    };
    std::vector<Member> members;
  };
  const std::vector<Group>& groups() const { return groups_; }
  int group(int operand, int level) const { return memories_[operand][level].group; }  ///< -1: none

 private:
  struct Memory {
    double capacity = 0;          ///< bits
    bool partial_always = false;  ///< an irrelevant loop is above, in time or unrolled, in any mapping
    int group = -1;
    std::vector<double> bits;        ///< of inputs and partial sums, by multiset
    std::vector<double> of_results;  ///< of finished outputs; empty: they have as many
  };
  std::array<std::vector<Memory>, max_operands> memories_;
  std::vector<Group> groups_;
  bool partial_matters_ = false;
};

/// Number of boundaries that each operand has closed, without boundary 0.
using ClosedBoundaries = std::array<std::uint8_t, max_operands>;

/// Boundaries that are closed before a loop comes above all placed ones: at least and at most so many.
struct Closings {
  ClosedBoundaries least, most;
};

/// Visits the Closings before a loop of this kind, one for each set of tiles that end below it. A boundary
/// closes only where the loop changes the operand (a cut below irrelevant loops is the same mapping as the
/// cut above them, because ZigZag moves those loops down), or where shared tiles end.
template <class Visit>
void for_each_closings(const TemporalSpace& space, const MemoryFit& fit, const ClosedBoundaries& closed,
                       std::size_t kind, const Visit& visit) {
  const std::vector<SharedTiles>& tiles = space.shared_tiles();
  std::size_t ended = 0;
  const auto has_ended = [&](const SharedTiles& one) {
    return closed[one.front().operand] > one.front().level;
  };
  while (ended < tiles.size() && has_ended(tiles[ended])) ++ended;
  for (std::size_t end = ended; end <= tiles.size(); ++end) {
    Closings closings{closed, {}};
    for (int operand = 0; operand < space.operands(); ++operand)
      closings.most[operand] = static_cast<std::uint8_t>(fit.levels(operand) - 1);
    if (end > ended)
      for (const OperandLevel& at : tiles[end - 1])
        closings.least[at.operand] = static_cast<std::uint8_t>(at.level + 1);
    if (end < tiles.size())
      for (const OperandLevel& at : tiles[end])
        closings.most[at.operand] = static_cast<std::uint8_t>(at.level);
    for (int operand = 0; operand < space.operands(); ++operand)
      if (space.irrelevant(operand, kind)) closings.most[operand] = closings.least[operand];
    visit(closings);
  }
}

/// The objective of a search, and limits of the energy and the latency of the mappings that compete.
struct Goal {
  Goal(Objective minimised, const MappingLimits& within = {})
      : objective(minimised), most_energy(within.most_energy), most_latency(within.most_latency) {}

  Objective objective;
  double most_energy, most_latency;            ///< pJ, cycles
  double least_energy = 0, least_latency = 0;  ///< lower bounds known beforehand

  bool needs_energy() const { return objective != Objective::latency || most_energy < infinite; }
  bool needs_latency() const { return objective != Objective::energy || most_latency < infinite; }
  bool limited() const { return most_energy < infinite || most_latency < infinite; }
  /// Infinite beyond a limit, as far as rounding allows to tell. Does not fall when energy or latency rise.
  double of(double energy, double latency) const {
    if (energy > bound_of_energy() || latency > most_latency * (1 + rounding_tolerance)) return infinite;
    energy = std::max(energy, least_energy);
    latency = std::max(latency, least_latency);
    if (objective == Objective::edp) return energy * latency;
    return objective == Objective::energy ? energy : latency;
  }
  double bound_of_energy() const { return most_energy * (1 + rounding_tolerance); }
  /// The worth of a mapping with these figures; infinite beyond a limit.
  double value(double energy, double latency) const {
    return energy > most_energy || latency > most_latency ? infinite : of(energy, latency);
  }
};

/// A problem with the tables that all its searches share.
struct SearchProblem {
  /// Throws InputError for a problem that cannot be searched, NoResult when the user's ordering does not
  /// fit. `factor_limit`: as in LomaOptions; 0: all prime factors.
  explicit SearchProblem(const MappingProblem& problem, int factor_limit = 0);
  /// The part of a problem whose orders begin so.
  SearchProblem(const SearchProblem& whole, const Beginning& beginning);

  MappingProblem given;
  CostModel model;
  const CostTables& tables;  ///< of the model
  TemporalSpace space;
  MemoryFit fit;
  std::optional<ArrayPace> pace;  ///< of all orders; where it depends on the order, of none

  /// Infinite for mappings beyond a limit, and for those that need a port that does not exist.
  double value(const CompactMapping& mapping, const Goal& goal) const;
};

/// Infinite beyond a limit, and without a cost.
double value_of(const Goal& goal, const Score& score);

/// Number of multisets of the prime factors of the loops that remain in time: the size of TemporalSpace's
/// lattice where no order is prescribed, before it is made.
double count_multisets(const MappingProblem& problem);

/// As SearchProblem::value(), without the tables of a search.
double value_of(const MappingProblem& problem, const CompactMapping& mapping, const Goal& goal);

/// The whole cycles that it takes at least to move what needs so many, which are a sum of rounded numbers.
inline double whole_cycles(double cycles) {
  constexpr double rounding = 1e-3;
  return std::ceil(cycles * (1 - rounding_tolerance) - rounding);
}

}  // namespace zz::core
