#pragma once
#include <array>
#include <vector>

#include "core/mapping/compact_mapping.hpp"
#include "core/search/optimal/multiset_tables.hpp"

namespace zz::core {

/// The least energy of a layer's boundaries, each whatever the loops below it are: what no mapping of the
/// layer as a member of a group goes below.
class LeastCosts {
 public:
  /// `homes`: as TileSummaries has them. `exchangeable`: operands, one bit each, that may be exchanged, and
  /// then cost nothing above the lowest home.
  LeastCosts(const MultisetTables& tables, const std::vector<int>& homes, unsigned exchangeable);

  /// pJ of the whole layer.
  double whole() const { return whole_; }
  /// pJ that are left for an operand with so many memories closed.
  double rest(int operand, int closed) const {
    return rest_[static_cast<std::size_t>(operand)][static_cast<std::size_t>(closed)];
  }
  /// pJ of the units' own boundary of an operand.
  double units(int operand) const { return units_[static_cast<std::size_t>(operand)]; }

 private:
  std::array<std::array<double, max_memory_levels + 1>, max_operands> rest_{};
  std::array<double, max_operands> units_{};
  double whole_ = 0;
};

}  // namespace zz::core
