#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/mapping/compact_mapping.hpp"

namespace zz::core {

/// What the lowest memory of each operand holds, as a class: 0 while link 1 is open.
using FirstClasses = std::array<std::uint16_t, max_operands>;

/// How the costs of a mapping, added up link by link, make one figure.
class LabelFigure {
 public:
  virtual ~LabelFigure() = default;

  /// `sums`: by family of LinkCosts. Does not fall when a sum rises, nor when a class 0 becomes known.
  virtual double of(const double* sums, const FirstClasses& first) const = 0;
  /// The same with lower bounds of the sums of RemainingInOneOrder, in their order. Not lower than without.
  virtual double of(const double* sums, const FirstClasses& first, const double* in_one_order) const {
    static_cast<void>(in_one_order);
    return of(sums, first);
  }
  /// The most that the first family may come to: figures of more are infinite.
  virtual double most_first() const { return std::numeric_limits<double>::infinity(); }
  /// The class of what the operand's lowest memory holds when link 1 closes at `vector`: labels of
  /// different classes are not compared with each other.
  virtual std::uint16_t first_class(int operand, std::size_t vector) const {
    static_cast<void>(operand), static_cast<void>(vector);
    return 0;
  }
};

/// The sum of the first family.
class FirstSum : public LabelFigure {
 public:
  double of(const double* sums, const FirstClasses&) const override { return sums[0]; }
};

}  // namespace zz::core
