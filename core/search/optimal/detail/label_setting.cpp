#include "core/search/optimal/detail/label_setting.hpp"

#include <fmt/format.h>

#include "core/base/diagnostics.hpp"

namespace zz::core {

ExponentLattice::ExponentLattice(std::vector<LoopKind> kinds) : kinds_(std::move(kinds)) {
  std::size_t size = 1;
  for (const LoopKind& kind : kinds_) {
    strides_.push_back(size);
    size *= static_cast<std::size_t>(kind.count + 1);
    if (size > max_multisets) {
      throw InputError(fmt::format(
          "the loops that remain in time have more than {} different multisets of factors, too many to "
          "search for an optimum",
          max_multisets));
    }
  }
  placed_.assign(size, 0);
  first_kind_.assign(size, 0);
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    const std::size_t stride = strides_[kind];
    const std::size_t end = stride * static_cast<std::size_t>(kinds_[kind].count + 1);
    for (std::size_t multiset = stride; multiset < end; ++multiset) {
      placed_[multiset] = static_cast<std::uint8_t>(placed_[multiset - stride] + 1);
      // Those without loops of earlier kinds are the multiples of the stride.
      first_kind_[multiset] = first_kind_[multiset - stride];
    }
    for (std::size_t multiset = stride; multiset < end; multiset += stride)
      first_kind_[multiset] = static_cast<std::uint8_t>(kind);
  }
}

void LabelBuckets::grow() {
  std::vector<Slot> larger(slots_.size() * 4);
  for (const Slot& slot : slots_)
    if (slot.key != empty) find(larger, slot.key) = slot;
  slots_.swap(larger);
}

}  // namespace zz::core
