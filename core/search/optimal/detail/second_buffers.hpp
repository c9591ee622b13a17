#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/search/optimal/detail/port_loads.hpp"

namespace zz::core {

/// Which memories have room for a second buffer of an operand (double buffering), by the rules of
/// the cost model (core/cost/latency.hpp). Without one, a transfer must be done before its data are used
/// again.
class SecondBuffers {
 public:
  SecondBuffers(const SearchProblem& problem, const PortLoads& loads);

  /// Memory `level` cannot hold two buffers of the operand, whatever the others hold.
  bool surely_single(int operand, int level, std::size_t multiset) const;
  /// Whatever the others hold, all operands together fill at most half of the memory.
  bool surely_double(int operand, int level, std::size_t multiset) const;
  /// Some mapping has no second buffer in the memory below the boundary.
  bool may_be_single(int operand, int boundary, std::size_t multiset) const;

  /// As SingleBufferPenalty says.
  std::size_t stores() const { return stores_; }
  int store(int operand, int level) const { return store_[operand][level]; }
  double share(int operand, int level, std::size_t multiset, std::int64_t replaced) const;

 private:
  const SearchProblem& problem_;
  const PortLoads& loads_;
  std::size_t stores_ = 0;
  std::array<std::vector<int>, max_operands> store_;      ///< by level; -1: operands do not compete
  std::array<std::vector<double>, max_operands> others_;  ///< the most that others fill of it, by level
};

}  // namespace zz::core
