#include "core/cost/loading.hpp"

#include <algorithm>
#include <array>

namespace zz::core {
namespace {

constexpr std::size_t max_transfers = 48;
constexpr double cycle_tolerance = 1e-6;  // cycles; above the rounding of the divisions
using Cycles = std::array<double, max_transfers>;

/// Positions by cycles, longest first; equal ones keep their order.
std::array<std::size_t, max_transfers> longest_first(std::span<const OneTimeTransfer> transfers) {
  std::array<std::size_t, max_transfers> order;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    std::size_t slot = i;
    for (; slot > 0 && transfers[order[slot - 1]].cycles < transfers[i].cycles; --slot)
      order[slot] = order[slot - 1];
    order[slot] = i;
  }
  return order;
}

Cycles as_zigzag_does(std::span<const OneTimeTransfer> transfers, double spare) {
  const auto order = longest_first(transfers);
  Cycles cycles;
  for (std::size_t i = 0; i < transfers.size(); ++i) cycles[i] = transfers[i].cycles;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const double slack = cycles[order[i]] - transfers[order[i]].minimum;
    const double need = slack * static_cast<double>(i + 1);
    const double step = spare >= need ? slack : spare / static_cast<double>(i + 1);
    for (std::size_t j = 0; j <= i; ++j) cycles[order[j]] -= step;
    if (spare < need) break;
    spare -= need;
  }
  return cycles;
}

/// The usual case, that there are cycles to spare for all and no transfer is shorter than its minimum.
/// False: it is not, and nothing was done.
///
/// ZigZag's steps then are the whole slacks, each taken from all longer transfers too. So all end at their
/// minima when only the longest has slack; else some fall below, which is corrected to the minima as well.
bool hide_all(std::span<OneTimeTransfer> transfers, double spare, bool& corrected) {
  double slack_in_all = 0;
  std::size_t with_slack = 0, longest = 0;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const double slack = transfers[i].cycles - transfers[i].minimum;
    if (slack < 0) return false;
    slack_in_all += slack;
    with_slack += slack > 0 ? 1 : 0;
    if (transfers[i].cycles > transfers[longest].cycles) longest = i;
  }
  if (spare < slack_in_all * static_cast<double>(transfers.size()) + 1) return false;
  const bool longest_has_slack = transfers[longest].cycles > transfers[longest].minimum;
  corrected = with_slack > (longest_has_slack ? 1 : 0);
  for (OneTimeTransfer& transfer : transfers) transfer.cycles = transfer.minimum;
  return true;
}

}  // namespace

void water_fill(std::span<OneTimeTransfer> transfers, double spare) {
  Cycles lowest;
  for (std::size_t i = 0; i < transfers.size(); ++i)
    lowest[i] = std::min(transfers[i].minimum, transfers[i].cycles);
  // Lower the longest ones together until they meet the next longest or one of their minima.
  for (;;) {
    double level = 0;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      if (transfers[i].cycles > lowest[i]) level = std::max(level, transfers[i].cycles);
    }
    double next = 0;
    std::size_t moving = 0;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      if (transfers[i].cycles <= lowest[i]) continue;
      if (transfers[i].cycles == level) {
        ++moving;
        next = std::max(next, lowest[i]);
      } else {
        next = std::max(next, transfers[i].cycles);
      }
    }
    if (moving == 0 || spare <= 0) return;
    const double need = (level - next) * static_cast<double>(moving);
    const double target = spare >= need ? next : level - spare / static_cast<double>(moving);
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      if (transfers[i].cycles > lowest[i] && transfers[i].cycles == level)
        transfers[i].cycles = std::max(target, lowest[i]);
    }
    if (spare < need) return;
    spare -= need;
  }
}

bool hide_transfers(std::span<OneTimeTransfer> transfers, double spare, bool loading_below_minimum) {
  if (spare <= 0 || transfers.empty()) return false;
  if (transfers.size() == 1 || !loading_below_minimum) {
    if (bool corrected = false; hide_all(transfers, spare, corrected)) return corrected;
  }
  transfers = transfers.first(std::min(transfers.size(), max_transfers));
  const Cycles cycles = as_zigzag_does(transfers, spare);
  bool impossible = false;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const double lowest = std::min(transfers[i].minimum, transfers[i].cycles);
    impossible = impossible || cycles[i] < lowest - cycle_tolerance ||
                 cycles[i] > transfers[i].cycles + cycle_tolerance;
  }
  if (impossible && !loading_below_minimum) {
    water_fill(transfers, spare);
    return true;
  }
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const double lowest = std::min(transfers[i].minimum, transfers[i].cycles);
    transfers[i].cycles = loading_below_minimum ? cycles[i] : std::max(cycles[i], lowest);
  }
  return false;
}

}  // namespace zz::core
