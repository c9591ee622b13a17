#pragma once
#include <cstdint>
#include <vector>

namespace zz::core {

/// First labels of lists, by key: a hash table that only grows.
class LabelBuckets {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  LabelBuckets() : slots_(1024) {}

  /// The head of the list of a key, `none` when new. Valid until the next call.
  std::uint32_t& head(std::uint64_t key) {
    if (used_ * 2 > slots_.size()) grow();
    Slot& slot = find(slots_, key);
    if (slot.key == empty) {
      slot.key = key;
      ++used_;
    }
    return slot.head;
  }
  std::size_t memory_bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key = empty;
    std::uint32_t head = none;
  };

  static Slot& find(std::vector<Slot>& slots, std::uint64_t key) {
    const std::size_t mask = slots.size() - 1;
    std::size_t place = static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ULL) >> 20) & mask;
    while (slots[place].key != empty && slots[place].key != key) place = (place + 1) & mask;
    return slots[place];
  }
  void grow() {
    std::vector<Slot> larger(slots_.size() * 4);
    for (const Slot& slot : slots_)
      if (slot.key != empty) find(larger, slot.key) = slot;
    slots_.swap(larger);
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace zz::core
