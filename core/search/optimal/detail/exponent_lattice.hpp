#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace zz::core {

/// Equal loops of one layer: `count` loops of `size` iterations over Layer::loops[dimension].
struct LoopKind {
  int dimension = 0;
  std::int64_t size = 1;
  int count = 0;
};

/// All multisets of a layer's loop factors, partially ordered by inclusion.
///
/// Everything that the cost model reads from a loop order is a function of the multisets of loops below a
/// few cuts. Searches therefore walk from the empty to the full multiset, one loop at a time, instead of
/// enumerating orders: n different loops have n! orders and 2^n multisets, and equal loops have far fewer.
///
/// A multiset is an index: the mixed-radix number of how often each kind occurs in it. Adding a loop adds
/// the stride of its kind, so that a multiset has a smaller index than every multiset that it leads to.
class ExponentLattice {
 public:
  /// Throws InputError when there are more than max_multisets.
  explicit ExponentLattice(std::vector<LoopKind> kinds);

  static constexpr std::size_t max_multisets = std::size_t{1} << 22;

  const std::vector<LoopKind>& kinds() const { return kinds_; }
  std::size_t size() const { return placed_.size(); }      ///< number of multisets
  std::size_t full() const { return placed_.size() - 1; }  ///< the multiset of all loops
  std::size_t stride(std::size_t kind) const { return strides_[kind]; }
  int count(std::size_t multiset, std::size_t kind) const {
    return static_cast<int>(multiset / strides_[kind] % static_cast<std::size_t>(kinds_[kind].count + 1));
  }
  bool has_more(std::size_t multiset, std::size_t kind) const {
    return count(multiset, kind) < kinds_[kind].count;
  }
  int placed(std::size_t multiset) const { return placed_[multiset]; }  ///< loops in the multiset
  int loops() const { return placed_.back(); }
  /// The first kind in a multiset. REQUIRES: the multiset is not empty.
  std::size_t first_kind(std::size_t multiset) const {
    std::size_t kind = 0;
    while (count(multiset, kind) == 0) ++kind;
    return kind;
  }

 private:
  std::vector<LoopKind> kinds_;
  std::vector<std::size_t> strides_;
  std::vector<std::uint8_t> placed_;
};

}  // namespace zz::core
