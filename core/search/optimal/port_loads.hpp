#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/search/optimal/search_problem.hpp"

namespace zz::core {

/// How one transfer of one operand keeps its port busy, by the loops below its link.
struct TransferLoad {
  int port;  ///< index into CostTables::ports
  int operand, link;
  Direction direction;
  /// Partial sums that return: neither waited for before the computation nor after it.
  bool partial_sums_back;
  bool every_cycle;               ///< of link 0, where each cycle asks for its own portion
  std::vector<double> cycles;     ///< for one portion; 0: nothing moves
  std::vector<double> bandwidth;  ///< bits per cycle on average, as spare cycles are computed
};

/// What the latency of a mapping is made of, link by link: all transfers on all ports, with whole factors.
struct PortLoads {
  explicit PortLoads(const SearchProblem& problem);

  std::vector<TransferLoad> loads;
  std::vector<std::int64_t> iterations;  ///< of the loops of a vector: the period of its links
  std::int64_t total = 1;                ///< iterations of all temporal loops
  double computation = 0;                ///< cycles without any stall, as reported
  double busy = 0;                       ///< the same in whole cycles
  double longest_windows = 0;            ///< no port has more cycles in which transfers are allowed
  /// Bits that the lowest memory of each operand takes at first, by vector.
  std::array<std::vector<double>, max_operands> first_bits;
  /// Share of memory `link - 1` that the operand fills: [operand][link][vector].
  std::array<std::vector<std::vector<double>>, max_operands> share;

  /// Portions that cross the link when it is closed at `vector`.
  double count(const TransferLoad& load, std::size_t vector) const {
    return static_cast<double>(load.every_cycle ? total : total / iterations[vector]);
  }
  /// Cycles for one portion; `run` is not 1: without the outermost `run` iterations of the level below.
  double period(const TransferLoad& load, std::size_t vector, std::int64_t run = 1) const;

 private:
  double cycles_per_operation_;
};

}  // namespace zz::core
