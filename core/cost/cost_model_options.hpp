#pragma once

namespace zz::core {

struct CostModelOptions {
  /// An input that stays the same for consecutive cycles is read once
  /// ("access_same_data_considered_as_no_access").
  bool same_data_free = true;
  /// What is loaded or off-loaded once may use cycles of its port that the computation leaves free. ZigZag
  /// does so since 3.8; before, all of it came on top of the computation.
  bool loading_uses_spare_cycles = true;
  bool zigzag_compat = false;  ///< reproduce defects, docs/deviations.md
};

}  // namespace zz::core
