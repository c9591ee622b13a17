#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/mapping/compact_mapping.hpp"
#include "core/search/optimal/certificate.hpp"

namespace zz::core {

/// Additive costs of a mapping: a vector of components (energy, busy cycles of a port, ...) for every
/// boundary between two memories of an operand.
///
/// Boundary 0 of an operand lies between its units and its lowest memory, boundary k between its memories
/// k-1 and k. A boundary is *closed* at the multiset of loops below it. The boundaries that are still open
/// when all loops are placed form the operand's final residency: the memories above them hold the whole
/// tensor.
struct LabelCosts {
  int components = 1;
  /// [operand][boundary][multiset * components + component]; infinite: cannot be closed there.
  using Boundaries = std::array<std::vector<std::vector<double>>, max_operands>;
  std::shared_ptr<const Boundaries> boundaries;
  /// [operand][boundaries closed, without boundary 0][component]: costs of the boundaries that are closed
  /// above all loops; infinite: not a possible final residency.
  std::array<std::vector<std::vector<double>>, max_operands> residencies;
  std::vector<double> constant;  ///< by component
  /// The first `compared` components decide dominance. The others are sums of some of these; they exist
  /// because the cost-to-go of a sum is tighter than the sum of costs-to-go. 0: all are compared.
  int compared = 0;

  const double* at(int operand, int boundary, std::size_t multiset) const {
    return &(*boundaries)[operand][boundary][multiset * static_cast<std::size_t>(components)];
  }
};

/// The additional cost of a boundary whose lower memory has no second buffer for the operand, and ends with
/// loops irrelevant to it.
///
/// Operands compete for second buffers in a shared memory, as in the cost model. The bits that they hold,
/// without the part that their outermost relevant loops replace, plus the second buffers must not exceed
/// the memory.
class SingleBufferPenalty {
 public:
  virtual ~SingleBufferPenalty() = default;
  /// Adds the penalty to `paid`, by component. `kept`: iterations of these outermost irrelevant loops, more
  /// than 1. False: nothing was added.
  virtual bool add(int operand, int boundary, std::size_t multiset, std::int64_t kept,
                   double* paid) const = 0;
  /// Memory `level` cannot hold two buffers of the operand, whatever the others hold.
  virtual bool surely_single(int operand, int level, std::size_t multiset) const = 0;

  /// Number of memories where operands compete for second buffers.
  virtual std::size_t stores() const = 0;
  virtual int store(int operand, int level) const = 0;  ///< index of such a memory, or -1
  /// The share of memory `level` that the operand holds, without what its outermost relevant loops
  /// (`replaced` iterations) replace. At most 1.
  virtual double share(int operand, int level, std::size_t multiset, std::int64_t replaced) const = 0;
};

/// How much each operand's lowest memory holds, as a class of sizes that the cost model cannot tell apart.
/// 0: boundary 1 is open.
using FillClasses = std::array<std::uint16_t, max_operands>;

/// The value of a mapping as a function of its additive costs.
class LabelObjective {
 public:
  virtual ~LabelObjective() = default;

  /// `sums`: by component. Does not fall when a sum rises, nor when a class becomes known.
  virtual double of(const double* sums, const FillClasses& fill) const = 0;
  /// Also given lower bounds of the weighted sums of JointCostToGo. Not below the value without them.
  virtual double of(const double* sums, const FillClasses& fill, const double* joint) const {
    static_cast<void>(joint);
    return of(sums, fill);
  }
  /// The value is infinite where component 0 exceeds this.
  virtual double first_limit() const { return infinite; }
  /// The class of the operand's lowest memory when boundary 1 closes at `multiset`. Labels of different
  /// classes do not dominate each other.
  virtual std::uint16_t fill_class(int operand, std::size_t multiset) const {
    static_cast<void>(operand), static_cast<void>(multiset);
    return 0;
  }
};

/// Component 0 itself.
class FirstComponent : public LabelObjective {
 public:
  double of(const double* sums, const FillClasses&) const override { return sums[0]; }
};

}  // namespace zz::core
