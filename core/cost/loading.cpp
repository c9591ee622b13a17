#include "core/cost/loading.hpp"

#include <algorithm>
#include <array>

namespace zz::core {
namespace {

constexpr std::size_t max_transfers = 48;
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

Cycles as_zigzag_3_8_does(std::span<const OneTimeTransfer> transfers, double spare) {
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

}  // namespace

void hide_transfers(std::span<OneTimeTransfer> transfers, double spare, bool loading_below_minimum) {
  if (spare <= 0 || transfers.empty()) return;
  transfers = transfers.first(std::min(transfers.size(), max_transfers));
  if (loading_below_minimum) {
    const Cycles cycles = as_zigzag_3_8_does(transfers, spare);
    for (std::size_t i = 0; i < transfers.size(); ++i) transfers[i].cycles = cycles[i];
    return;
  }
  const auto order = longest_first(transfers);
  for (std::size_t i = 0; i < transfers.size() && spare > 0; ++i) {
    OneTimeTransfer& longest = transfers[order[i]];
    const double hidden = std::min(std::max(0.0, longest.cycles - longest.minimum), spare);
    longest.cycles -= hidden;
    spare -= hidden;
  }
}

}  // namespace zz::core
