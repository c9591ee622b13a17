#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/mapping/compact_mapping.hpp"

namespace zz::core {

struct Accelerator;
struct Layer;
struct CostTables;

/// Cycles for steps of a mapping, each of which is one iteration of all temporal loops.
struct StepCycles {
  double at_peak = 1;     ///< for each; more than 1 when activations are fed in bit-serially
  double efficiency = 1;  ///< OperationalArray::efficiency
  // Expected values where zeros are skipped (WorkLeft).
  double useful = 1;  ///< share of the steps in which a unit has something to do
  double made = 1;    ///< share of the steps that are made; no less

  /// On average over all steps, those that are skipped among them.
  double each() const { return at_peak * made / efficiency; }
  /// Those of a step that is made.
  double of_one() const { return at_peak / efficiency; }
  /// Whole cycles in which so many steps would be made if none was skipped. Those that the array loses are
  /// cut to whole ones, so that the parts of a period are never longer than the period is. Cycles of
  /// periods and windows are `made` of these: so fewer steps never leave a port more time.
  std::int64_t of(std::int64_t steps) const;
  /// The longest that the cycles of all parts of so many steps can be together.
  double longest(double steps) const;
};

/// `fold` and `instruction` of an accelerator (docs/accelerator-keys.md) for one layer under one unrolling,
/// in numbers.
struct ArrayTable {
  /// No operand of the layer is the one that stays in the units: there is one stay.
  static constexpr int no_operand = -1;

  ArrayTable() = default;
  ArrayTable(const Accelerator& accelerator, const Layer& layer, const CostTables& tables);

  bool has_fold = false, has_instruction = false;
  bool any() const { return has_fold || has_instruction; }

  int fold_operand = no_operand;  ///< position in the equation
  double fold_cycles = 0;         ///< of one fold, beside its steps
  bool overlapped = false;

  int instruction_operand = no_operand;
  std::vector<int> along;  ///< index into Layer::loops
  std::int64_t rows = 1;
  double min_cycles = 0, reload_cycles = 0, interval = 0;
};

/// The stays of the operands that `fold` and `instruction` name. A *stay* of an operand is its innermost
/// temporal loops that are irrelevant to it, up to the first that is not, whatever memory holds them.
struct ArrayStays {
  std::int64_t fold = 1;         ///< steps
  std::int64_t instruction = 1;  ///< steps
  std::int64_t rows = 1;         ///< of the latter's steps those along the loop that makes rows
};

/// Stays of one length.
struct CountedStays {
  ArrayStays stays;
  std::int64_t count = 1;
};

/// Loops of a stay of an operand (ArrayTable), counted from the innermost.
int stay_loops(const CostTables& tables, const CompactMapping& mapping, int operand);
ArrayStays stays_of(const CostTables& tables, const CompactMapping& mapping);

/// Cycles that the array takes for the steps of a mapping: those of its temporal loops. Without `fold` and
/// `instruction` it takes StepCycles::each() for each.
///
///   cycles of a stay with `instruction`: its steps along the first loop of `along` that it has come in
///       blocks of `rows` and a shorter one; a block takes max(its steps, min_cycles), the first of a stay
///       max(its steps, min_cycles, reload_cycles); at least `interval` times the number of blocks;
///   `fold` adds its cycles once a stay, or once a layer where folds overlap.
class ArrayPace {
 public:
  /// The pace of an array without the keys.
  ArrayPace(std::int64_t steps, const StepCycles& step)
      : step_(step),
        steps_(static_cast<double>(steps)),
        without_keys_(steps_ * step.each()),
        cycles_(without_keys_) {}
  ArrayPace(const ArrayTable& table, const ArrayStays& stays, std::int64_t steps, const StepCycles& step);
  /// The pace with ragged tiles. `folds` and `instructions`: stays of the operands that the
  /// keys name, from the first one. What they add is the same in each step of the array.
  ArrayPace(const ArrayTable& table, std::span<const CountedStays> folds,
            std::span<const CountedStays> instructions, std::int64_t steps, const StepCycles& step);

  /// Cycles for all steps: the array cycles.
  double cycles() const { return cycles_; }
  /// The same at the peak, without `fold` and `instruction`, as a unit takes that waits for no other.
  double at_full_pace() const { return steps_ * step_.at_peak * step_.useful; }
  /// Those of them in which a unit waits for others that skip less.
  double waiting_cycles() const { return steps_ * step_.at_peak * step_.made - at_full_pace(); }
  /// Those of them that `efficiency`, `fold` and `instruction` add.
  double efficiency_cycles() const { return without_keys_ - steps_ * step_.at_peak * step_.made; }
  double fold_cycles() const { return added_by_fold_; }
  double instruction_cycles() const { return added_by_instruction_; }
  /// Cycles for each step, on average over all; in those of StepCycles::each().
  double average() const { return average_; }

  /// Share of the steps that are made (StepCycles).
  double made() const { return step_.made; }
  /// Cycles for all steps if none was skipped.
  double without_skips() const { return step_.made == 1 ? cycles_ : steps_ * step_.of_one(); }
  /// Whole cycles of a period (BoundaryCost::period), as if no step was skipped. Periods within a stay go
  /// on at the pace of the steps, longer ones are multiples of it.
  std::int64_t period(std::int64_t period) const { return even_ ? period : within(period, period); }
  /// The longest that the whole cycles of all periods of one length can be together.
  double longest_periods() const;
  /// Whole cycles of `part` steps of a period of so many steps.
  std::int64_t within(std::int64_t period, std::int64_t part) const;

 private:
  /// Cycles more for `per` steps, where a period is no shorter than the stay.
  struct More {
    std::int64_t stay = 1;
    double cycles = 0, per = 1;
  };
  void add_up(std::int64_t steps);
  double more(const More& rule, std::int64_t period, double part) const {
    return period >= rule.stay ? part * rule.cycles / rule.per : 0;
  }

  bool even_ = true;  ///< every step takes as long as any other
  StepCycles step_;
  double steps_, without_keys_, cycles_, average_ = 1;
  double added_by_fold_ = 0, added_by_instruction_ = 0;
  More fold_, instruction_;
};

/// The array cycles of a mapping, and what its periods become.
ArrayPace pace_of(const CostTables& tables, const CompactMapping& mapping);

}  // namespace zz::core
