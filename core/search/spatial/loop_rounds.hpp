#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace zz::core {

/// What unrolling leaves of one loop for time.
struct LoopRounds {
  std::size_t adjusting = 0;  ///< the first array dimension with the largest factor takes up the remainder
  std::int64_t rounds = 1;    ///< how often the array takes its turn
  double factor = 1;          ///< units along `adjusting` that work on average: 7 on 4 units are 3.5 twice

  /// The part of `factor` that is left when it is cut to a whole number.
  double whole_share() const { return std::floor(factor) / factor; }
};

/// The rounds of a loop of `size` iterations that is unrolled `factors[i]` times along the i-th array
/// dimension of a mapping, 0 where it is not. `beyond_loop`: as in ZigZag, array dimensions after the
/// adjusting one do not count, so that the unrolling may cover more than the loop.
inline LoopRounds rounds_of(std::int64_t size, std::span<const std::int64_t> factors, bool beyond_loop) {
  LoopRounds result;
  result.adjusting =
      static_cast<std::size_t>(std::max_element(factors.begin(), factors.end()) - factors.begin());
  std::int64_t elsewhere = 1;
  for (std::size_t i = 0; i < (beyond_loop ? result.adjusting : factors.size()); ++i) {
    if (i != result.adjusting) elsewhere *= std::max<std::int64_t>(1, factors[i]);
  }
  const std::int64_t covered = elsewhere * std::max<std::int64_t>(1, factors[result.adjusting]);
  result.rounds = (size + covered - 1) / covered;
  result.factor =
      static_cast<double>(size) / static_cast<double>(result.rounds) / static_cast<double>(elsewhere);
  return result;
}

}  // namespace zz::core
