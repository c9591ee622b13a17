#pragma once
#include <algorithm>
#include <span>

namespace zz::core {

/// One transfer that happens once: the cycles that it takes, and the part of them that cannot be hidden
/// because the units need that data before they can start (or end). Whole numbers.
struct OneTimeTransfer {
  double cycles, minimum;
};

/// Hides `spare` cycles of one-time transfers behind the computation, taking from the longest first.
///
/// ZigZag's procedure subtracts without bounds once there are two transfers: some may fall below their
/// minimum, even under zero, or grow. Where that happens, the longest ones are instead levelled down
/// together, each no further than its minimum, and the result is true. zigzag_compat keeps ZigZag's
/// figures.
bool hide_transfers(std::span<OneTimeTransfer> transfers, double spare, bool zigzag_compat);

/// What hide_transfers() without zigzag_compat comes to when there are cycles to spare for all: no transfer
/// takes longer than its minimum. False: there are not, and nothing was done.
///
/// ZigZag's steps then are whole slacks, also where a slack is negative because the transfer is shorter
/// than its minimum. Each such step lengthens transfers that may not grow; unless later ones take that back
/// entirely, which leaves all at these figures, the transfers are levelled down instead, to just these.
inline bool hide_completely(std::span<OneTimeTransfer> transfers, double spare) {
  double slack = 0;
  for (const OneTimeTransfer& transfer : transfers)
    slack += std::max(0.0, transfer.cycles - transfer.minimum);
  if (spare < slack * static_cast<double>(transfers.size()) + 1) return false;
  for (OneTimeTransfer& transfer : transfers) transfer.cycles = std::min(transfer.cycles, transfer.minimum);
  return true;
}

}  // namespace zz::core
