#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/mapping/compact_mapping.hpp"
#include "core/search/optimal/detail/label_costs.hpp"
#include "core/search/optimal/detail/temporal_space.hpp"

namespace zz::core {

/// A partial mapping in LabelSearch: which loops are placed and which boundaries are closed.
struct Label {
  std::uint32_t multiset = 0;
  std::uint32_t parent = 0;
  std::uint32_t next = 0;  ///< in the list of its bucket
  std::uint8_t kind = 0;   ///< of the loop that led here
  bool partial = false;    ///< a loop irrelevant to the output is above its last cut
  FillClasses fill{};
  std::array<std::uint8_t, max_operands> closed{};     ///< boundaries, without boundary 0
  std::array<std::int32_t, max_operands> kept{};       ///< iterations of the outermost irrelevant loops
  std::array<std::int32_t, max_operands> replaced{};   ///< iterations of the outermost relevant loops
  std::array<std::uint32_t, max_operands> closings{};  ///< with keep_all: how boundaries were closed
};

/// The numbers of a label: costs by component, then used bits by group of MemoryFit, then used shares by
/// store of SingleBufferPenalty.
inline constexpr std::size_t max_label_numbers = 64;
using LabelNumbers = std::array<double, max_label_numbers>;

/// Heads of lists of labels, by key: a hash table with open addressing that only grows.
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
    std::size_t slot = static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ULL) >> 20) & mask;
    while (slots[slot].key != empty && slots[slot].key != key) slot = (slot + 1) & mask;
    return slots[slot];
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

/// The labels of a search with their numbers. Drops dominated labels, and follows a label back to the root.
///
/// *Dominance*: a label is dropped when another one with equal multiset, closed boundaries and fill classes
/// is no worse in any compared component, nor in the room that it leaves.
class LabelStore {
 public:
  /// `components`, `compared` and `width`: how many numbers of a label are costs, how many of these decide
  /// dominance, and how many there are in all. `keep_all`: labels dominate each other only if everything
  /// that any cost follows from is the same.
  LabelStore(const TemporalSpace& space, std::size_t components, std::size_t compared, std::size_t width,
             bool keep_all)
      : space_(space), components_(components), compared_(compared), width_(width), keep_all_(keep_all) {}

  /// The index of the new label. Not yet compared with others.
  std::uint32_t add(const Label& label, const LabelNumbers& numbers);
  const Label& operator[](std::uint32_t label) const { return labels_[label]; }
  const double* numbers(std::uint32_t label) const { return &numbers_[label * width_]; }

  /// False: a label that was kept before dominates this one. Labels come in the order of their bounds, and
  /// a label with a lower bound is not dominated by one with a higher bound, so that looking back is
  /// enough.
  bool keep(std::uint32_t label);

  /// The mapping that leads to the label; boundaries that are still open close above all loops.
  CompactMapping mapping(std::uint32_t label) const;

  std::size_t memory_bytes() const {
    return labels_.capacity() * sizeof(Label) + numbers_.capacity() * sizeof(double) +
           buckets_.memory_bytes();
  }

 private:
  bool dominates(const Label& a, const double* numbers_a, const Label& b, const double* numbers_b) const;
  std::uint64_t key_of(const Label& label) const;

  const TemporalSpace& space_;
  std::size_t components_, compared_, width_;
  bool keep_all_;
  std::vector<Label> labels_;
  std::vector<double> numbers_;
  LabelBuckets buckets_;
};

}  // namespace zz::core
