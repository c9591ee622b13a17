#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/mapping/compact_mapping.hpp"

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
  /// Families that tell labels apart; those behind them are sums of some of these, whose remaining costs
  /// are bounded together. 0: all.
  int compared = 0;

  const double* at(int operand, int link, std::size_t vector) const {
    return &(*links)[operand][link][vector * static_cast<std::size_t>(families)];
  }
};

/// What a link costs on top when the level below it ends with loops that are irrelevant to the operand and
/// there is no room for a second buffer. A memory of several operands has room for the second buffer of
/// some of them (MemoryUse): what they hold, less what their outermost relevant loops replace, and what
/// gets a second buffer once more, is not more than the memory.
class SingleBufferCost {
 public:
  virtual ~SingleBufferCost() = default;
  /// Adds to `paid` (by family). `run`: iterations of those outermost irrelevant loops, more than 1. False:
  /// nothing is added.
  virtual bool add(int operand, int link, std::size_t vector, std::int64_t run, double* paid) const = 0;
  /// Memory `level` is too small for two buffers of the operand, whatever the others hold.
  virtual bool surely_single(int operand, int level, std::size_t vector) const = 0;

  /// Memories where operands compete for second buffers.
  virtual std::size_t stores() const = 0;
  virtual int store(int operand, int level) const = 0;  ///< -1: none
  /// What the operand holds at its memory `level`, as a share of it, without what its outermost relevant
  /// loops, `replaced` iterations, replace. At most 1.
  virtual double share(int operand, int level, std::size_t vector, std::int64_t replaced) const = 0;
};

}  // namespace zz::core
