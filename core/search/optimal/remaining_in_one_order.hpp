#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "core/search/optimal/link_costs.hpp"
#include "core/search/optimal/memory_fit.hpp"
#include "core/search/optimal/rooms.hpp"
#include "core/search/optimal/temporal_space.hpp"

namespace zz::core {

/// Families of costs as one: `first` times the first family plus `other` times `family` plus `third` times
/// `third_family`.
struct WeighedFamilies {
  double first = 0;
  std::size_t family = 0;
  double other = 0;
  std::size_t third_family = 0;
  double third = 0;

  double of(const double* costs) const {
    return (first > 0 ? first * costs[0] : 0) + (other > 0 ? other * costs[family] : 0) +
           (third > 0 ? third * costs[third_family] : 0);
  }
};

inline constexpr std::size_t most_sums = 128;

/// The least that all open links will cost together, by the loops placed so far and the links closed so far
/// of every operand: exactly, but that a shared
/// memory has room for what operands hold that still fill it, and for what the others hold at least
/// (Rooms). RemainingCost lets every operand have the order that is best for it; here all of them go along
/// with one. In return there is a number for each combination of closed links, so that this takes
/// milliseconds, and memory, where that takes microseconds.
///
/// No mapping costs less: whatever a search pays between here and the last loop is the cost of a path
/// through these states, and what it pays on top, for want of a second buffer, is not negative.
class RemainingInOneOrder {
 public:
  /// For mappings that keep to `rooms`. The weights must not be negative, and there are at most most_sums.
  RemainingInOneOrder(const TemporalSpace& space, const MemoryFit& fit, const Rooms& rooms,
                      const LinkCosts& costs, std::vector<WeighedFamilies> sums);

  const std::vector<WeighedFamilies>& sums() const { return sums_; }
  /// With so many closed links there is an ending.
  bool possible(const std::array<std::uint8_t, max_operands>& closed) const {
    for (std::size_t operand = 0; operand < operands_; ++operand)
      if (closed[operand] >= counts_[operand]) return false;
    return true;
  }
  /// By sum; for what is possible. While only loops irrelevant to an operand are placed, its link 0 is open
  /// too.
  const double* of(const std::array<std::uint8_t, max_operands>& closed, std::size_t vector) const {
    return &table_[(vector * states_ + state(closed)) * sums_.size()];
  }
  std::size_t memory_bytes() const { return table_.capacity() * sizeof(double); }
  /// Numbers that such a table has.
  static double size(const TemporalSpace& space, const MemoryFit& fit, std::size_t sums);

 private:
  std::size_t state(const std::array<std::uint8_t, max_operands>& closed) const {
    std::size_t state = 0;
    for (std::size_t operand = 0; operand < operands_; ++operand)
      state += closed[operand] * strides_[operand];
    return state;
  }

  std::vector<WeighedFamilies> sums_;
  std::size_t operands_, states_ = 1;
  std::array<std::size_t, max_operands> strides_{}, counts_{};
  std::vector<double> table_;
};

}  // namespace zz::core
