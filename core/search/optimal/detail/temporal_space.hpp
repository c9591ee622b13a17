#pragma once
#include <array>
#include <optional>
#include <vector>

#include "core/mapping/spatial_mapping.hpp"
#include "core/search/optimal/detail/exponent_lattice.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The loop orders that compete: the factors of the loops that remain in time, less what the user's
/// temporal ordering excludes.
class TemporalSpace {
 public:
  /// `factor_limit`: as in LomaOptions; 0: all prime factors. Throws NoResult when the user's ordering
  /// does not fit the loops that remain in time, InputError when there are too many loops.
  TemporalSpace(const Layer& layer, const SpatialMapping& spatial_mapping, int factor_limit,
                const Rules& rules);

  const ExponentLattice& lattice() const { return *lattice_; }
  int operands() const { return operands_; }
  bool relevant(int operand, std::size_t kind) const { return !irrelevant_[operand][kind]; }
  bool irrelevant(int operand, std::size_t kind) const { return irrelevant_[operand][kind]; }
  /// Every iteration brings other data: the loop does not slide a window.
  bool replaces(int operand, std::size_t kind) const { return replaces_[operand][kind]; }
  /// A loop of this kind may stand right above the loops of `multiset`.
  bool may_follow(std::size_t multiset, std::size_t kind) const {
    return lattice_->has_more(multiset, kind) &&
           (constraints_.empty() || agrees(lattice_->placed(multiset), kind));
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

 private:
  bool agrees(int position, std::size_t kind) const;

  int operands_;
  std::optional<ExponentLattice> lattice_;
  std::vector<OrderConstraint> constraints_;  ///< positions counted from the innermost loop
  std::array<std::vector<bool>, 3> irrelevant_, replaces_;
  std::array<std::vector<bool>, 3> all_irrelevant_, irrelevant_above_, changes_above_;
};

}  // namespace zz::core
