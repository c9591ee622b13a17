#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace zz::core {

/// A loop (index into Layer::loops) unrolled `factor` times along some array dimension.
struct UnrolledIndex {
  int loop = 0;
  std::int64_t factor = 1;
};

/// What may be unrolled along one array dimension, in the order in which candidates are made: each
/// alternative is one loop, or several side by side. Stored flat, there may be many thousands.
class SpatialOptions {
 public:
  /// `loops` are the loops that may be unrolled, in their order, `maxima` their largest factors. First come
  /// single loops, each with all divisors of its maximum, descending. With `mixed`, combinations of two
  /// loops or more follow whose divisors above 1 have a product of at most `size`.
  SpatialOptions(const std::vector<int>& loops, const std::vector<std::int64_t>& maxima, std::int64_t size,
                 bool mixed);

  std::size_t size() const { return units_.size(); }
  std::int64_t units(std::size_t option) const { return units_[option]; }      ///< product of its factors
  std::int64_t largest(std::size_t option) const { return largest_[option]; }  ///< of its factors
  std::span<const UnrolledIndex> loops(std::size_t option) const {
    return std::span(loops_).subspan(first_[option], first_[option + 1] - first_[option]);
  }

 private:
  void add(std::span<const UnrolledIndex> option);
  void add_products(std::span<const std::size_t> positions, std::int64_t room,
                    std::vector<UnrolledIndex>& prefix);

  std::vector<int> hinted_;
  std::vector<std::vector<std::int64_t>> divisors_;  ///< of the maximum of each hinted loop, ascending
  std::vector<UnrolledIndex> loops_;                 ///< of all options, one after the other
  std::vector<std::size_t> first_ = {0};
  std::vector<std::int64_t> units_, largest_;
};

}  // namespace zz::core
