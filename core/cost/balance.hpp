#pragma once
#include <span>

namespace zz::core {

/// One transfer that happens once: the cycles that it takes, and the part of them that cannot be hidden
/// because the units need that data before they can start (or end). Whole numbers.
struct OneTimeTransfer {
  double cycles = 0;
  double minimum = 0;
};

/// Hides `spare` cycles of one-time transfers behind the computation, taking from the longest first.
///
/// ZigZag's procedure subtracts without bounds once there are two transfers: some may fall below their
/// minimum, even under zero, or grow. Where that happens, the longest ones are instead levelled down
/// together, each no further than its minimum, and the result is true. zigzag_compat keeps ZigZag's
/// figures.
bool hide_transfers(std::span<OneTimeTransfer> transfers, double spare, bool zigzag_compat);

}  // namespace zz::core
