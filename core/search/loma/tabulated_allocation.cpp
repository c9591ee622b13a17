#include "core/search/loma/tabulated_allocation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "core/search/loma/slice_choice.hpp"

namespace zz::core {
namespace {

/// The walk up the memories for one order. It takes the same decisions as LoopAllocator; each shortcut says
/// why.
class Walk {
 public:
  Walk(const LoopPath& path, MappingType type, CompactMapping& mapping, AllocationFailure& failure)
      : path_(path), type_(type), mapping_(mapping), failure_(failure) {}

  bool visit(const AllocationTables::Node& node) {
    if (node.takes_the_rest) {
      for (const AllocationTables::Place& place : node.places) take(place, path_.loops());
      return true;
    }
    failure_.memory = node.memory;
    std::array<int, max_operands> ends;
    const std::size_t count = node.places.size();
    bool largest_is_best = count == 1 || type_ == MappingType::uneven;
    double bits = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const AllocationTables::Place& place = node.places[i];
      const bool is_finished = finished(place);
      if (place.top) {
        ends[i] = path_.loops();
        bits += place.top_bits[is_finished];
        continue;
      }
      const SliceTable& table = place.slices[is_finished];
      ends[i] = end_of(place, table, node.capacity);
      if (ends[i] < 0) return false;
      bits += table.at[path_.point(ends[i])].bits;
      largest_is_best = largest_is_best && table.falling;
    }
    // Where every operand leaves least traffic by taking most, all of them do so if there is room; and of
    // equally good ways the one with most loops counts.
    if ((!largest_is_best || bits > node.capacity) && !share(node, ends)) return false;
    for (std::size_t i = 0; i < count; ++i) take(node.places[i], ends[i]);
    return true;
  }

  /// As LoopAllocator::merge_down(): no loop has one iteration here, so that a cut moves past the
  /// irrelevant loops that follow it, and cannot pass the one above it, which moves first.
  void merge_down(const AllocationTables& tables) {
    for (int operand = 0; operand < tables.operands(); ++operand) {
      const std::uint32_t irrelevant = path_.irrelevant(operand);
      const auto& allocated = mapping_.allocated[operand];
      auto& cuts = mapping_.stationary[operand];
      int above = path_.loops();
      for (int level = tables.levels(operand); level-- > 0;) {
        const int run = std::countr_one(irrelevant >> allocated[level]);
        above = std::min(allocated[level] + run, above);
        cuts[level] = static_cast<std::uint8_t>(above);
      }
    }
  }

 private:
  /// The output leaves the memory in its final precision: nothing is added to it above.
  bool finished(const AllocationTables::Place& place) const {
    return place.may_finish && path_.irrelevant(place.operand) >> held_[place.operand] == 0;
  }

  /// How far up the operand alone could fill the memory; -1: not even what it must hold fits.
  int end_of(const AllocationTables::Place& place, const SliceTable& table, double capacity) {
    const SliceTable::Entry* const at = table.at.data();
    const int loops = path_.loops();
    int end = held_[place.operand];
    if (!(at[path_.point(end)].bits <= capacity)) {
      failure_.operand = place.operand;
      return -1;
    }
    while (end < loops && at[path_.point(end + 1)].bits <= capacity) ++end;
    return end;
  }

  /// Goes through the combinations of what each operand alone could take.
  bool share(const AllocationTables::Node& node, std::array<int, max_operands>& ends) {
    std::array<Slices, max_operands> all;
    for (std::size_t i = 0; i < node.places.size(); ++i) {
      const AllocationTables::Place& place = node.places[i];
      Slices& slices = all[i];
      slices.held = held_[place.operand];
      if (place.top) {
        slices.first = path_.loops() - slices.held;
        slices.count = 1;
        slices.bits[0] = place.top_bits[finished(place)];
        slices.traffic[0] = 0;
        continue;
      }
      const SliceTable& table = place.slices[finished(place)];
      slices.count = ends[i] - slices.held + 1;
      slices.falling = table.falling;
      for (int further = 0; further < slices.count; ++further) {
        const SliceTable::Entry& entry = table.at[path_.point(slices.held + further)];
        slices.bits[further] = entry.bits;
        slices.traffic[further] = entry.traffic;
      }
    }
    std::array<int, max_operands> further;
    if (!choose_slices({all.data(), node.places.size()}, node.capacity, type_, further)) {
      failure_.operand = -1;
      return false;
    }
    for (std::size_t i = 0; i < node.places.size(); ++i) ends[i] = all[i].held + further[i];
    return true;
  }

  void take(const AllocationTables::Place& place, int end) {
    held_[place.operand] = end;
    mapping_.allocated[place.operand][place.level] = static_cast<std::uint8_t>(end);
  }

  const LoopPath& path_;
  const MappingType type_;
  CompactMapping& mapping_;
  AllocationFailure& failure_;
  std::array<int, max_operands> held_{};  ///< loops below the memory at hand, by operand
};

}  // namespace

bool allocate_by_tables(const AllocationTables& tables, const LoopPath& path, MappingType type,
                        CompactMapping& mapping, AllocationFailure& failure) {
  Walk walk(path, type, mapping, failure);
  for (const AllocationTables::Node& node : tables.nodes()) {
    if (!walk.visit(node)) return false;
  }
  walk.merge_down(tables);
  return true;
}

}  // namespace zz::core
