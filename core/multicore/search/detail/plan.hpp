#pragma once
#include <string>
#include <vector>

#include "core/multicore/cuts/cut_menu.hpp"
#include "core/multicore/schedule/scheduler.hpp"

namespace zz::core {

/// A point of the space that a search walks through: cuts, cores and order. Where cuts move, the cores are
/// told by layer and not by group, so that they keep a meaning when the cut of a layer changes.
struct Plan {
  static constexpr int fewest_slots = 16;
  /// Group g of a layer runs on candidate slots[g % count of slots], counted around. At least as many as
  /// there are candidates, and fewest_slots.
  using CoreSlots = std::vector<int>;
  /// A shift by the groups of a sample, so that all groups of a layer take the slots in turn.
  static constexpr int in_turn = -1;

  Partition cuts;                ///< empty where they are given: each menu has one entry
  std::vector<CoreSlots> cores;  ///< by layer; where cuts are given, one row: the core of each gene
  /// By layer, where each sample has groups of its own: the slots of the next sample begin so much later.
  /// Empty: `in_turn` everywhere.
  std::vector<int> shifts;
  ScheduleChoice order;  ///< but for its cores

  bool operator==(const Plan&) const = default;
};

/// Text that only equal plans have in common.
std::string key_of(const Plan& plan);

/// A plan of given cuts: the core of each gene, and the order.
Plan plan_of(std::vector<int> cores, const ScheduleChoice& order = {});

/// The core of each gene, where cuts move.
std::vector<int> cores_of(const Plan& plan, const ScheduleProblem& problem);

/// Sets slots and shifts that give these cores, as far as groups share slots.
void set_slots(Plan& plan, const std::vector<int>& cores, const ScheduleProblem& problem);

/// So many slots that take the candidates in turn from one on.
Plan::CoreSlots slots_in_turn(int first, int slots = Plan::fewest_slots);
/// All on one.
Plan::CoreSlots slots_alike(int core, int slots = Plan::fewest_slots);

}  // namespace zz::core
