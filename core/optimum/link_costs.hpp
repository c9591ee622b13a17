#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/mapping/loop_order_batch.hpp"

namespace zz::core {

/// Costs that a mapping adds up link by link, of several families at once (energy, cycles of one port,
/// ...). A link is closed at the multiset of loops below it.
struct LinkCosts {
  int families = 1;
  /// [operand][link][vector * families + family]; infinite where the link cannot be closed.
  using Links = std::array<std::vector<std::vector<double>>, max_operands>;
  std::shared_ptr<const Links> links;
  /// [operand][links closed before the end, link 0 aside][family]: what the links that are left cost when
  /// all loops are below them; infinite where this is no ending.
  std::array<std::vector<std::vector<double>>, max_operands> endings;
  std::vector<double> constant;  ///< by family

  /// How a sum becomes a figure: min(sum + factor * (sum of `addend`), (sum of `cap`) + more).
  struct Rule {
    bool counts = true;  ///< false: only an addend of others
    int addend = -1;     ///< family; -1: none
    double factor = 0;   ///< not negative
    int cap = -1;        ///< family; -1: none
    double more = 0;
  };
  std::vector<Rule> rules;  ///< by family; empty: the sums are the figures

  const double* at(int operand, int link, std::size_t vector) const {
    return &(*links)[operand][link][vector * static_cast<std::size_t>(families)];
  }
};

/// What a link costs on top when the level below it ends with loops that are irrelevant to the operand and
/// leaves no room for a second buffer.
class SingleBufferCost {
 public:
  virtual ~SingleBufferCost() = default;
  /// Adds to `paid` (by family). `run`: iterations of those outermost irrelevant loops, more than 1.
  virtual void add(int operand, int link, std::size_t vector, std::int64_t run, double* paid) const = 0;
};

}  // namespace zz::core
