#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "core/mapping/compact_mapping.hpp"
#include "core/search/optimal/multiset_tables.hpp"

namespace zz::core {

/// Some of the operands of a layer: one bit each.
class OperandSet {
 public:
  static constexpr std::size_t count = 1U << max_operands;

  OperandSet() = default;
  explicit OperandSet(std::size_t number) : number_(static_cast<unsigned>(number)) {}

  void add(int operand) { number_ |= 1U << static_cast<unsigned>(operand); }
  bool has(int operand) const { return (number_ >> static_cast<unsigned>(operand) & 1U) != 0; }
  /// All of the others are in it.
  bool has_all(OperandSet others) const { return (others.number_ & ~number_) == 0; }
  void add_all(OperandSet others) { number_ |= others.number_; }
  std::size_t number() const { return number_; }  ///< below `count`
  bool operator==(const OperandSet&) const = default;

 private:
  unsigned number_ = 0;
};

/// The least energy of a layer's boundaries, each whatever the loops below it are: what no mapping of the
/// layer as a member of a group goes below.
class LeastCosts {
 public:
  /// `exchange_memory`: as TileSummaries has it. `exchangeable`: operands that may be exchanged, and then
  /// cost nothing above the exchange memory.
  LeastCosts(const MultisetTables& tables, int exchange_memory, OperandSet exchangeable);

  /// pJ of the whole layer.
  double whole() const { return whole_; }
  /// pJ that are left for an operand with so many memories closed.
  double rest(int operand, int closed) const { return rest_[operand][closed]; }
  /// pJ of the units' own boundary of an operand.
  double units(int operand) const { return units_[operand]; }

 private:
  std::array<std::array<double, max_memory_levels + 1>, max_operands> rest_{};
  std::array<double, max_operands> units_{};
  double whole_ = 0;
};

}  // namespace zz::core
