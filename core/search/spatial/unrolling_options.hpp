#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace zz::core {

/// Rest that unrolling leaves of one loop for time.
struct LoopRounds {
  std::size_t adjusting = 0;  ///< the first array dimension with the largest factor takes up the remainder
  std::int64_t rounds = 1;    ///< turns that the array takes
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

/// A loop (index into Layer::loops) unrolled `factor` times along some array dimension.
struct UnrolledIndex {
  int loop = 0;
  std::int64_t factor = 1;

  bool operator==(const UnrolledIndex&) const = default;
};

/// Loops unrolled along each array dimension, by index into OperationalArray::dimensions.
using UnrolledByArray = std::vector<std::vector<UnrolledIndex>>;

/// A loop that may be unrolled along an array dimension.
struct UnrollableLoop {
  int loop = 0;              ///< index into Layer::loops
  std::int64_t size = 1;     ///< iterations
  std::int64_t maximum = 1;  ///< most that array, layer and the memories next to the array allow; 0: never
  /// Only those of `any` factors compete with which some number of rounds takes the fewest units (20
  /// iterations in seven rounds take three): others repeat them, whatever else the loop is unrolled over.
  bool fewest_units = false;
};

/// Factors by which a loop may be unrolled along an array dimension, up to its maximum.
enum class UnrollingFactors {
  /// Divisors of the maximum, as in ZigZag. A loop of 56 along 12 units: 1, 2, 3, 4, 6, or 12 times.
  divisors,
  /// So often that every round is full, or as often as is allowed. A loop of 56 along 12 units: 2, 4, 7, 8,
  /// or 12. What is left uneven counts with its average (11.2); with ZigZag's rules the latency counts
  /// whole
  /// units (11), so that data of the missing part costs no time: what looks fast may only be cut short.
  even,
  any,     ///< any number of times
  uneven,  ///< `any` without what `even` has: along some array dimension rounds are partly empty
};

/// Unrollings that are listed, and their order.
enum class UnrollingList {
  /// Unrollings that can be told apart, most units first.
  distinct,
  /// ZigZag's candidates. A loop unrolled once is listed for each loop, though it is the same for all.
  /// Their
  /// order rests on how ZigZag walks its product of lists, and decides which of equally good candidates are
  /// tried: single loops come first, each with its factors descending, then combinations by their number of
  /// loops, by the positions of the loops, and by their ascending factors.
  zigzag,
};

/// Options of one array dimension: each is one loop, several side by side, or none.
/// Stored flat, because there may be many thousands.
class UnrollingOptions {
 public:
  /// `loops` in the order in which options are made, `size` the units along the array dimension. `mixed`:
  /// also several loops side by side, each more than once, at most `size` units in total. ZigZag's list is
  /// empty when no loop can be unrolled even once, as a memory delivers no word per cycle; of the distinct
  /// ones, one unrolls nothing. Throws InputError when there are too many to list.
  UnrollingOptions(const std::vector<UnrollableLoop>& loops, std::int64_t size, bool mixed,
                   UnrollingFactors factors, UnrollingList list);

  std::size_t size() const { return units_.size(); }
  double units(std::size_t option) const { return units_[option]; }  ///< product of its factors
  std::span<const UnrolledIndex> loops(std::size_t option) const {
    return std::span(loops_).subspan(first_[option], first_[option + 1] - first_[option]);
  }

  bool operator==(const UnrollingOptions&) const = default;

 private:
  std::vector<UnrolledIndex> loops_;      ///< of all options, one after the other
  std::vector<std::size_t> first_ = {0};  ///< where the loops of each option begin
  std::vector<double> units_;
};

}  // namespace zz::core
