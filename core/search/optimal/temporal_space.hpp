#pragma once
#include <array>
#include <optional>
#include <vector>

#include "core/mapping/spatial_mapping.hpp"
#include "core/search/loma/loop_factors.hpp"
#include "core/search/optimal/exponent_lattice.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Which loops may stand where: the factors of what the unrolling leaves in time, and what the user's
/// temporal ordering prescribes for single places.
class TemporalSpace {
 public:
  /// `factor_limit` as in LomaOptions; 0: all prime factors. Throws NoResult when the user's ordering
  /// does not fit what remains in time, InputError when there are too many loops.
  TemporalSpace(const Layer& layer, const SpatialMapping& spatial_mapping, int factor_limit,
                bool zigzag_compat);

  const ExponentLattice& lattice() const { return *lattice_; }
  int operands() const { return operands_; }
  bool relevant(int operand, std::size_t kind) const { return !irrelevant_[operand][kind]; }
  bool irrelevant(int operand, std::size_t kind) const { return irrelevant_[operand][kind]; }
  /// Every iteration brings other data: the loop makes no window slide.
  bool replaces(int operand, std::size_t kind) const { return replaces_[operand][kind]; }
  /// A loop of this kind may be the next above the loops of `vector`.
  bool may_follow(std::size_t vector, std::size_t kind) const {
    return lattice_->has_more(vector, kind) &&
           (constraints_.empty() || agrees(lattice_->placed(vector), kind));
  }
  /// Only loops that are irrelevant to the operand are in `vector`: its units still use one element.
  bool all_irrelevant(int operand, std::size_t vector) const { return all_irrelevant_[operand][vector]; }
  /// Some loop that is irrelevant to the operand is missing in `vector`.
  bool irrelevant_above(int operand, std::size_t vector) const {
    return irrelevant_above_[operand][vector];
  }
  /// Some loop that is not irrelevant to the operand is missing in `vector`: the operand changes above.
  bool changes_above(int operand, std::size_t vector) const { return changes_above_[operand][vector]; }

 private:
  bool agrees(int position, std::size_t kind) const;

  int operands_;
  std::optional<ExponentLattice> lattice_;
  std::vector<OrderConstraint> constraints_;  ///< positions counted from the innermost loop
  std::array<std::vector<bool>, 3> irrelevant_, replaces_;
  std::array<std::vector<bool>, 3> all_irrelevant_, irrelevant_above_, changes_above_;
};

}  // namespace zz::core
