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
  for (std::size_t multiset = 1; multiset < size; ++multiset) {
    const std::size_t kind = first_kind(multiset);
    placed_[multiset] = static_cast<std::uint8_t>(placed_[multiset - strides_[kind]] + 1);
  }
}

void LabelBuckets::grow() {
  std::vector<Slot> larger(slots_.size() * 4);
  for (const Slot& slot : slots_)
    if (slot.key != empty) find(larger, slot.key) = slot;
  slots_.swap(larger);
}

}  // namespace zz::core
