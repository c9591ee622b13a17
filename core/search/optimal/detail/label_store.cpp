#include "core/search/optimal/detail/label_store.hpp"

#include <algorithm>

namespace zz::core {

std::uint32_t LabelStore::add(const Label& label, const LabelNumbers& numbers) {
  labels_.push_back(label);
  numbers_.insert(numbers_.end(), numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(width_));
  return static_cast<std::uint32_t>(labels_.size() - 1);
}

bool LabelStore::dominates(const Label& a, const double* numbers_a, const Label& b,
                           const double* numbers_b) const {
  for (int operand = 0; operand < space_.operands(); ++operand) {
    if (a.kept[operand] > b.kept[operand] || a.replaced[operand] < b.replaced[operand]) return false;
    if (!keep_all_) continue;
    if (a.multiset != b.multiset || a.closed != b.closed || a.partial != b.partial) return false;
    if (a.kept[operand] != b.kept[operand] || a.replaced[operand] != b.replaced[operand] ||
        a.closings[operand] != b.closings[operand])
      return false;
  }
  for (std::size_t i = 0; i < compared_; ++i)
    if (numbers_a[i] > numbers_b[i]) return false;
  for (std::size_t i = components_; i < width_; ++i)
    if (numbers_a[i] > numbers_b[i]) return false;
  return true;
}

/// Only labels with equal keys may dominate each other.
std::uint64_t LabelStore::key_of(const Label& label) const {
  std::uint64_t key = label.multiset;
  for (int operand = 0; operand < space_.operands(); ++operand) key = key * 16 + label.closed[operand];
  for (int operand = 0; operand < space_.operands(); ++operand) key = key * 512 + label.fill[operand];
  key = key * 2 + (label.partial ? 1 : 0);
  if (!keep_all_) return key;
  for (int operand = 0; operand < space_.operands(); ++operand) {
    for (const std::uint64_t node :
         {std::uint64_t{label.closings[operand]}, static_cast<std::uint64_t>(label.kept[operand]),
          static_cast<std::uint64_t>(label.replaced[operand])})
      key = (key ^ node) * 0x9e3779b97f4a7c15ULL, key ^= key >> 29;
  }
  return key >> 1;
}

bool LabelStore::keep(std::uint32_t index) {
  Label& label = labels_[index];
  const double* const own = numbers(index);
  std::uint32_t& head = buckets_.head(key_of(label));
  std::uint32_t* slot = &head;
  while (*slot != LabelBuckets::none) {
    Label& other = labels_[*slot];
    if (dominates(other, numbers(*slot), label, own)) return false;
    if (dominates(label, own, other, numbers(*slot)))
      *slot = other.next;
    else
      slot = &other.next;
  }
  label.next = head;
  head = index;
  return true;
}

CompactMapping LabelStore::mapping(std::uint32_t index) const {
  const ExponentLattice& lattice = space_.lattice();
  const int operands = std::min(space_.operands(), max_operands);
  CompactMapping mapping;
  mapping.loops = lattice.loops();
  // Without temporal loops, there is one loop of one iteration.
  if (mapping.loops == 0) {
    mapping.loops = 1;
    mapping.size[0] = 1;
  }
  std::array<std::uint8_t, max_memory_levels> above_all_loops;
  above_all_loops.fill(static_cast<std::uint8_t>(mapping.loops));
  std::fill_n(mapping.stationary.begin(), operands, above_all_loops);
  for (Label label = labels_[index]; label.multiset != 0; label = labels_[label.parent]) {
    const int position = lattice.placed(label.multiset) - 1;
    mapping.dimension[position] = static_cast<std::uint8_t>(lattice.kinds()[label.kind].dimension);
    mapping.size[position] = lattice.kinds()[label.kind].size;
    const Label& below = labels_[label.parent];
    for (int operand = 0; operand < operands; ++operand) {
      for (int level = below.closed[operand]; level < label.closed[operand]; ++level)
        mapping.stationary[operand][level] = static_cast<std::uint8_t>(position);
    }
  }
  mapping.allocated = mapping.stationary;
  return mapping;
}

}  // namespace zz::core
