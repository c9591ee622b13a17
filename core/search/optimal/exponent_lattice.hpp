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

/// All multisets of a layer's loop factors. Whatever the cost model reads from a loop order is a function
/// of the multisets of loops below a few cuts, so that searches walk from the empty to the full one by
/// adding one loop at a time, instead of enumerating orders.
///
/// A multiset is an index: the mixed-radix number of how often each kind occurs. Adding a loop of a kind
/// adds the kind's stride, so that every index is smaller than those it leads to.
class ExponentLattice {
 public:
  /// Throws InputError when there are more than max_vectors.
  explicit ExponentLattice(std::vector<LoopKind> kinds);

  static constexpr std::size_t max_vectors = std::size_t{1} << 22;

  const std::vector<LoopKind>& kinds() const { return kinds_; }
  std::size_t size() const { return placed_.size(); }
  std::size_t full() const { return placed_.size() - 1; }
  std::size_t stride(std::size_t kind) const { return strides_[kind]; }
  int count(std::size_t vector, std::size_t kind) const {
    return static_cast<int>(vector / strides_[kind] % static_cast<std::size_t>(kinds_[kind].count + 1));
  }
  bool has_more(std::size_t vector, std::size_t kind) const {
    return count(vector, kind) < kinds_[kind].count;
  }
  int placed(std::size_t vector) const { return placed_[vector]; }  ///< loops in the multiset
  int loops() const { return placed_.back(); }

 private:
  std::vector<LoopKind> kinds_;
  std::vector<std::size_t> strides_;
  std::vector<std::uint8_t> placed_;
};

}  // namespace zz::core
