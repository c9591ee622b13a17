#pragma once
#include <cstdint>
#include <vector>

#include "core/multicore/cuts/cut_menu.hpp"
#include "core/multicore/schedule/scheduler.hpp"

namespace zz::core {

/// A point of the space that a search over cuts walks through. The cores are told by layer and not by
/// group, so that they keep a meaning when the cut of a layer changes.
struct Plan {
  static constexpr int fewest_slots = 16;
  /// Group g of a layer runs on candidate slots[g % count of slots], counted around. At least as many as
  /// there are candidates, and fewest_slots.
  using CoreSlots = std::vector<std::uint16_t>;
  /// A shift by the groups of a sample, so that all groups of a layer take the slots in turn.
  static constexpr std::uint16_t in_turn = 0xffff;

  Partition cuts;
  std::vector<CoreSlots> cores;  ///< by layer
  /// By layer, where each sample has groups of its own: the slots of the next sample begin so much later.
  /// Empty: `in_turn` everywhere.
  std::vector<std::uint16_t> shifts;
  ScheduleChoice order;  ///< but for its cores

  bool operator==(const Plan&) const = default;
};

/// The core of each gene.
std::vector<int> cores_of(const Plan& choice, const ScheduleProblem& problem);

/// Sets slots and shifts that give these cores, as far as groups share slots.
void set_slots(Plan& choice, const std::vector<int>& cores, const ScheduleProblem& problem);

/// So many slots that take the candidates in turn from one on.
Plan::CoreSlots slots_in_turn(int first, int slots = Plan::fewest_slots);
/// All on one.
Plan::CoreSlots slots_alike(int core, int slots = Plan::fewest_slots);

}  // namespace zz::core
